# SPDX-License-Identifier: MIT
"""What is measured beside labs: the peaks of this machine; programs that take turns."""
