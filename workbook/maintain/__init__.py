# SPDX-License-Identifier: MIT
"""For who works on the workbook: the figures of its pages."""
