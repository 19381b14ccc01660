# SPDX-License-Identifier: MIT
"""A student's way through a lab: start, hint, next, restore, solution, progress."""
