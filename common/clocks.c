// SPDX-License-Identifier: MIT
#include "clocks.h"

#include <dlfcn.h>
#include <stddef.h>

// As nvml.h has them. It need not be installed: the library comes with the driver.
typedef int nvml_init(void);
typedef int nvml_find(const char *bus_id, void **device);
typedef int nvml_clock(void *device, int kind, unsigned *mhz);
typedef int nvml_reasons(void *device, unsigned long long *reasons);
enum { MULTIPROCESSORS = 1 };

static const struct {
    unsigned bits;
    const char *word;
} limits[] = {
    {0x004 | 0x080, "power"},            // by software, by hardware
    {0x020 | 0x040, "temperature"},      // by software, by hardware
    {0x008, "hardware"},                 // any of the above, or too much current
    {0x002 | 0x010 | 0x100, "settings"}, // of somebody
};
enum { LIMITS = sizeof limits / sizeof limits[0] };

static nvml_clock *read_clock;
static nvml_reasons *read_reasons;

static void *find_device(const char *bus_id)
{
    void *device = NULL, *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return NULL;
    nvml_init *init = (nvml_init *)dlsym(library, "nvmlInit_v2");
    nvml_find *find = (nvml_find *)dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
    read_clock = (nvml_clock *)dlsym(library, "nvmlDeviceGetClockInfo");
    read_reasons = (nvml_reasons *)dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (init == NULL || find == NULL || read_clock == NULL || read_reasons == NULL)
        return NULL;
    return init() == 0 && find(bus_id, &device) == 0 ? device : NULL;
}

struct clocks clocks_now(const char *bus_id)
{
    static void *device;
    static int looked;
    unsigned mhz = 0;
    unsigned long long reasons = 0;
    if (!looked++)
        device = find_device(bus_id);
    if (device == NULL || read_clock(device, MULTIPROCESSORS, &mhz) != 0)
        return (struct clocks){0, 0, 0};
    if (read_reasons(device, &reasons) != 0)
        reasons = 0;
    return (struct clocks){mhz, mhz, (unsigned)reasons};
}

void clocks_join(struct clocks *of_all, struct clocks now)
{
    if (of_all->high == 0)
        *of_all = now;
    if (now.high == 0)
        return;
    of_all->low = now.low < of_all->low ? now.low : of_all->low;
    of_all->high = now.high > of_all->high ? now.high : of_all->high;
    of_all->limits |= now.limits;
}

const char *clocks_limit(struct clocks c, int n)
{
    for (int l = 0; l < LIMITS; l++)
        if ((c.limits & limits[l].bits) != 0 && n-- == 0)
            return limits[l].word;
    return NULL;
}
