# SPDX-License-Identifier: MIT
"""For who teaches: handouts, and the grading of a class. A handout has nothing of it."""
