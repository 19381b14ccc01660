# SPDX-License-Identifier: MIT
"""Verifies labs over a battery of shapes, and grades them."""
