# SPDX-License-Identifier: MIT
"""Taking in what was handed in: archives, names, which files count."""
