# SPDX-License-Identifier: MIT
"""What the advanced labs alone need: lab 21 over many ranks."""
