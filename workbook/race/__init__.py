# SPDX-License-Identifier: MIT
"""Looks for races and the like, with every tool that there is."""
