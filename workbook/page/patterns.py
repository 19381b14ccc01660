# SPDX-License-Identifier: MIT
"""What the lanes of a warp access, in few words: a pattern, which many requests share."""

from __future__ import annotations

Lanes = list[tuple[int, int]]  # lane and its first element, of those that take part
Pattern = tuple[tuple[int, int, int, int], ...]  # first lane, lanes, offset in elements, stride


def pattern_of(lanes: Lanes) -> Pattern:
    """Neighbouring lanes whose elements are equally far apart are one segment. Offsets begin at the
    element of the first lane."""
    base = lanes[0][1]
    segments: list[tuple[int, int, int, int]] = []
    for lane, element in lanes:
        first, count, offset, stride = segments[-1] if segments else (lane, 0, 0, 0)
        if count == 1:
            stride = element - base - offset
        if lane == first + count and element - base == offset + count * stride:
            segments[-1:] = [(first, count + 1, offset, stride)]
        else:
            segments.append((lane, 1, element - base, 0))
    return tuple(segments)
