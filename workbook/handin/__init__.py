# SPDX-License-Identifier: MIT
"""How a kernel is compiled before it is graded: the same for make check and make grade."""
