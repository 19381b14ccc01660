// SPDX-License-Identifier: MIT
// CUDA for clangd, which then needs no toolkit: compile_commands.json of `make editor` names this
// header. Nothing is ever compiled with it.
#include <cstdio> // what cuda_runtime.h includes: not for the device
#include <cstdlib>
#include <vector>
#pragma clang force_cuda_host_device begin
#include <math.h> // but for __expf and the others, which are the C library's names, too
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <mma.h>
#undef __global__
#undef __device__
#undef __host__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// What <<<...>>> calls, by the name that it had and the name that it has.
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0,
                              cudaStream_t stream = nullptr);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                     void *stream = nullptr);
#pragma clang force_cuda_host_device end
