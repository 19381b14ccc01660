# SPDX-License-Identifier: MIT
"""A file as it is handed in, before anybody reads it as C."""

from __future__ import annotations

LARGEST = 256 << 10  # bytes


def complaint_of_file(content: bytes) -> str:
    """Why it is not taken, or nothing."""
    if len(content) > LARGEST:
        return f"has more than {LARGEST >> 10} KiB"
    return "is no plain text, or UTF-16: save it as UTF-8" if b"\0" in content else ""
