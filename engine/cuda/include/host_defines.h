// SPDX-License-Identifier: MIT
// __host__ and the others.
#include "cuda_runtime.h"
