# SPDX-License-Identifier: MIT
"""What shows labs and changes nothing: run, demo, bench, sweep, diff, asm, editor."""
