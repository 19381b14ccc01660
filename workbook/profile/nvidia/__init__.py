# SPDX-License-Identifier: MIT
"""What nvcc and ncu know of a CUDA kernel, beside what is counted without them."""
