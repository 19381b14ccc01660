# SPDX-License-Identifier: MIT
"""The plots of a report."""
