# SPDX-License-Identifier: MIT
"""What each tool of make race says, as findings."""
