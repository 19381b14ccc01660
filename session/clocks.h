// SPDX-License-Identifier: MIT
// The clock of an NVIDIA GPU's multiprocessors, what holds it down, and how hot it is, by NVML, the
// library that nvidia-smi asks.
#ifndef CLOCKS_H
#define CLOCKS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// At one moment, or in several runs.
struct clocks {
    unsigned low, high; // MHz; 0: nobody knows
    unsigned most;      // MHz that it may have
    unsigned limits;    // enum clock_limit
    unsigned cool, hot; // the least and the most degrees Celsius
    bool whole;         // all of that could be read, and not the clock alone
};

// As NVML numbers its clock event reasons.
enum clock_limit {
    BY_SETTINGS = 0x002 | 0x010 | 0x100, // of somebody
    BY_POWER_CAP = 0x004,
    BY_HARDWARE = 0x008, // for power, temperature, or too much current
    BY_WARMTH = 0x020,   // by software
    BY_HEAT = 0x040,     // by hardware
    BY_POWER_BRAKE = 0x080,
};

// Of the GPU at this address of the PCI bus, "0000:3b:00.0", which is the same in all calls; NULL:
// the first GPU. Unknown where it is not NVIDIA's. The driver looks about ten times a second: what
// is read is up to 0.1 s old.
struct clocks clocks_now(const char *bus_id);
void clocks_join(struct clocks *of_all, struct clocks now);
// In a word, the n-th of the things that hold it down; NULL: there are no more.
const char *clocks_limit(struct clocks c, int n);

#ifdef __cplusplus
}
#endif
#endif
