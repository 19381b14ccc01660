// SPDX-License-Identifier: MIT
// The functions of the host, which cuda_runtime.h has, too.
#include "cuda_runtime.h"
