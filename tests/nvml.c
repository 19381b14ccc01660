// SPDX-License-Identifier: MIT
// Stands in for NVIDIA's library of the same functions: one GPU, whose clock rises at each look. At
// every other one it meets its limit of power, and of temperature. With CLOCK_ALONE it tells
// nothing else.
#include <string.h>

static unsigned looks;

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device)
{
    *device = &looks;
    return strcmp(id, "0000:3b:00.0") != 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = &looks;
    return index != 0;
}

int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz)
{
    (void)device;
    *mhz = 1500 + 10 * looks++;
    return kind != 1;
}

int nvmlDeviceGetMaxClockInfo(void *device, int kind, unsigned *mhz)
{
    (void)device;
    *mhz = 1980;
    return kind != 1;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    (void)device;
    *celsius = 40 + looks;
    return sensor != 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    (void)device;
    *reasons = looks % 2 != 0
                   ? 0x1
                   : 0x1 | 0x4 | 0x40; // idle, by software for its power, by hardware for its heat
#ifdef CLOCK_ALONE
    return 1;
#else
    return 0;
#endif
}
