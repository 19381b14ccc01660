# SPDX-License-Identifier: MIT
"""What the words of a kernel alone say, before it runs or where its result leaves it open."""
