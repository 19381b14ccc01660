# SPDX-License-Identifier: MIT
"""Measuring what a report lacks."""
