// SPDX-License-Identifier: MIT
// Functions of a kernel.
#include "cuda_runtime.h"
