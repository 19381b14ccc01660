// SPDX-License-Identifier: MIT
// The driver, which nobody calls here: what its header declares for programs of the runtime.
#ifndef EMULATED_CUDA_H
#define EMULATED_CUDA_H

#include "cuda_runtime.h"

#define CUDA_VERSION 12040
typedef int CUdevice;
#endif
