# SPDX-License-Identifier: MIT
"""report.md filled, and as a page."""
