# SPDX-License-Identifier: MIT
"""Is it right, robust, fast? What the judge and the tools say."""
