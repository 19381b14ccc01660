# SPDX-License-Identifier: MIT
"""What comes of a class: gradebook, feedback, the page of the class."""
