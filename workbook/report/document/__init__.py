# SPDX-License-Identifier: MIT
"""report.md filled, as a page, and as a PDF."""
