# SPDX-License-Identifier: MIT
"""What the advanced labs alone need: lab 20 over many ranks."""
