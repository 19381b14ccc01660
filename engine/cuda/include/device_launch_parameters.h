// SPDX-License-Identifier: MIT
// threadIdx and its like, of which editors for CUDA put the header into each new file.
#include "cuda_runtime.h"
