# SPDX-License-Identifier: MIT
"""What is handed in: whether it is a kernel, and compiled like all others."""
