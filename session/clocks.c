// SPDX-License-Identifier: MIT
#include "session/clocks.h"

#include <dlfcn.h>
#include <stddef.h>

// The types of nvml.h, which need not be installed: the library comes with the driver.
typedef int nvml_init(void);
typedef int nvml_find(const char *bus_id, void **device);
typedef int nvml_first(unsigned index, void **device);
typedef int nvml_number(void *device, int of, unsigned *number);
typedef int nvml_reasons(void *device, unsigned long long *reasons);
enum { MULTIPROCESSORS = 1, OF_THE_GPU = 0 };

static const struct {
    unsigned bits;
    const char *word;
} limits[] = {
    {BY_POWER_CAP | BY_POWER_BRAKE, "power"},
    {BY_WARMTH | BY_HEAT, "temperature"},
    {BY_HARDWARE, "hardware"},
    {BY_SETTINGS, "settings"},
};
enum { LIMITS = sizeof limits / sizeof limits[0] };

static nvml_number *read_clock, *read_most, *read_temperature;
static nvml_reasons *read_reasons;

static void *find_device(const char *bus_id)
{
    void *device = NULL, *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return NULL;
    nvml_init *init = (nvml_init *)dlsym(library, "nvmlInit_v2");
    nvml_find *find = (nvml_find *)dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
    nvml_first *first = (nvml_first *)dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    read_clock = (nvml_number *)dlsym(library, "nvmlDeviceGetClockInfo");
    read_most = (nvml_number *)dlsym(library, "nvmlDeviceGetMaxClockInfo");
    read_temperature = (nvml_number *)dlsym(library, "nvmlDeviceGetTemperature");
    read_reasons = (nvml_reasons *)dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (init == NULL || find == NULL || first == NULL || read_clock == NULL || read_most == NULL ||
        read_temperature == NULL || read_reasons == NULL || init() != 0)
        return NULL;
    return (bus_id != NULL ? find(bus_id, &device) : first(0, &device)) == 0 ? device : NULL;
}

struct clocks clocks_now(const char *bus_id)
{
    static void *device;
    static int looked;
    struct clocks now = {0};
    unsigned long long reasons = 0;
    if (!looked++)
        device = find_device(bus_id);
    if (device == NULL || read_clock(device, MULTIPROCESSORS, &now.low) != 0)
        return (struct clocks){0};
    now.high = now.low;
    now.whole = read_reasons(device, &reasons) == 0;
    now.limits = now.whole ? (unsigned)reasons : 0;
    now.whole = now.whole && read_most(device, MULTIPROCESSORS, &now.most) == 0 &&
                read_temperature(device, OF_THE_GPU, &now.cool) == 0;
    now.hot = now.cool;
    return now;
}

void clocks_join(struct clocks *of_all, struct clocks now)
{
    if (of_all->high == 0)
        *of_all = now;
    if (now.high == 0)
        return;
    of_all->low = now.low < of_all->low ? now.low : of_all->low;
    of_all->high = now.high > of_all->high ? now.high : of_all->high;
    of_all->cool = now.cool < of_all->cool ? now.cool : of_all->cool;
    of_all->hot = now.hot > of_all->hot ? now.hot : of_all->hot;
    of_all->limits |= now.limits;
}

const char *clocks_limit(struct clocks c, int n)
{
    for (int l = 0; l < LIMITS; l++)
        if ((c.limits & limits[l].bits) != 0 && n-- == 0)
            return limits[l].word;
    return NULL;
}
