# SPDX-License-Identifier: MIT
"""Counts what each line of a kernel asks memory for, on the CPU or on a device."""
