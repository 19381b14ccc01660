# SPDX-License-Identifier: MIT
"""From what was handed in to a worker, in a sandbox."""
