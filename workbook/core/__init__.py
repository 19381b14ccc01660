# SPDX-License-Identifier: MIT
"""What every other room needs: files, locks, processes, text, records. It knows nothing of labs."""
