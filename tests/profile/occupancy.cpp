// SPDX-License-Identifier: MIT
// Blocks that an SM holds, by NVIDIA's own header, of random kernels on each of the six devices:
// capability, threads, registers, bytes of shared memory, blocks.
#include <climits> // which the header forgets
#include <cstdio>
#include <cstdlib>
#include <cuda_occupancy.h>

int main()
{
    const struct {
        int major, minor, threads, shared, reserved;
    } devices[] = {{7, 5, 1024, 64, 0},  {8, 0, 2048, 164, 1}, {8, 6, 1536, 100, 1},
                   {8, 9, 1536, 100, 1}, {9, 0, 2048, 228, 1}, {12, 0, 1536, 100, 1}};
    for (int n = 0; n < 3000; n++) {
        const auto &d = devices[n % 6];
        cudaOccDeviceProp device;
        device.computeMajor = d.major;
        device.computeMinor = d.minor;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = d.threads;
        device.regsPerBlock = device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 48 * 1024;
        device.sharedMemPerMultiprocessor = std::size_t(d.shared) * 1024;
        device.numSms = 100;
        device.sharedMemPerBlockOptin = std::size_t(d.shared - d.reserved) * 1024;
        device.reservedSharedMemPerBlock = std::size_t(d.reserved) * 1024;
        cudaOccFuncAttributes kernel;
        kernel.numRegs = 16 + std::rand() % 240;
        kernel.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin;
        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel.maxThreadsPerBlock = 1024;
        kernel.numBlockBarriers = 1;
        const cudaOccDeviceState state;
        const int threads = 1 + std::rand() % 1024;
        const int most = std::rand() % 2 ? 20000 : int(device.sharedMemPerBlockOptin);
        const int shared = std::rand() % 4 == 0 ? 0 : std::rand() % (most + 1);
        cudaOccResult result;
        if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads,
                                                    std::size_t(shared)) != CUDA_OCC_SUCCESS)
            return 1;
        std::printf("%d.%d %d %d %d %d\n", d.major, d.minor, threads, kernel.numRegs, shared,
                    result.activeBlocksPerMultiprocessor);
    }
}
