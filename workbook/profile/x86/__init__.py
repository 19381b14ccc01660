# SPDX-License-Identifier: MIT
"""The machine code of a CPU: its loops, and what bounds them."""
