# SPDX-License-Identifier: MIT
"""What a lab is, and what a program of it says: make describe and ./gemm --json, read."""
