# SPDX-License-Identifier: MIT
"""The labs beside libraries: make baseline, and CLBlast's tuner."""
