// SPDX-License-Identifier: MIT
// Those of the device, of which older kernels include this.
#include "cuda_runtime.h"
