// SPDX-License-Identifier: MIT
// At which clock and temperature the GPU was right behind each timed call, by NVML, the library of NVIDIA's
// driver; where it is not there, nothing is said. The first GPU, which is the one that the workers take.
#include "judge.h"

#include <dlfcn.h>

// As nvml.h has them, which comes with the toolkit and not with the driver.
enum { SM_CLOCK = 1, OF_THE_GPU = 0 };
typedef int (*ask_start)(void);
typedef int (*ask_device)(unsigned index, void **device);
typedef int (*ask_number)(void *device, int of, unsigned *number);
typedef int (*ask_reasons)(void *device, unsigned long long *reasons);

static struct {
    void *device;
    ask_number clock, most, temperature;
    ask_reasons reasons;
} nvml;

static void *find(void *library, const char *name)
{
    return library != NULL ? dlsym(library, name) : NULL;
}

void find_gpu(struct gpu *gpu)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    ask_start start;
    ask_device device;
    // POSIX has it that a function's address fits.
    *(void **)&start = find(library, "nvmlInit_v2");
    *(void **)&device = find(library, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&nvml.clock = find(library, "nvmlDeviceGetClockInfo");
    *(void **)&nvml.most = find(library, "nvmlDeviceGetMaxClockInfo");
    *(void **)&nvml.temperature = find(library, "nvmlDeviceGetTemperature");
    *(void **)&nvml.reasons = find(library, "nvmlDeviceGetCurrentClocksThrottleReasons");
    gpu->known = start != NULL && device != NULL && nvml.clock != NULL && nvml.most != NULL &&
                 nvml.temperature != NULL && nvml.reasons != NULL && start() == 0 &&
                 device(0, &nvml.device) == 0 &&
                 nvml.most(nvml.device, SM_CLOCK, &gpu->most_mhz) == 0;
}

static void widen(unsigned range[2], unsigned value, bool first)
{
    range[0] = first || value < range[0] ? value : range[0];
    range[1] = first || value > range[1] ? value : range[1];
}

void look_at_gpu(struct gpu *gpu)
{
    unsigned mhz, celsius;
    unsigned long long reasons;
    if (!gpu->known || nvml.clock(nvml.device, SM_CLOCK, &mhz) != 0 ||
        nvml.temperature(nvml.device, OF_THE_GPU, &celsius) != 0 ||
        nvml.reasons(nvml.device, &reasons) != 0)
        return;
    widen(gpu->mhz, mhz, gpu->calls == 0);
    widen(gpu->celsius, celsius, gpu->calls == 0);
    gpu->calls++;
    gpu->throttled += (reasons & THROTTLED) != 0;
    gpu->reasons |= (unsigned)reasons & THROTTLED;
}
