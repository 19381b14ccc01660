# SPDX-License-Identifier: MIT
"""What comes of a class: gradebook, feedback, pages, likeness."""
