// SPDX-License-Identifier: MIT
// The clock of an NVIDIA GPU's multiprocessors and what holds it down, from the library that nvidia-smi asks.
#ifndef CLOCKS_H
#define CLOCKS_H

#ifdef __cplusplus
extern "C" {
#endif

// At one moment, or in several runs.
struct clocks {
    unsigned low, high; // MHz; 0: nobody knows
    unsigned limits;    // bits of NVML's clock event reasons
};

// Of the GPU at this address of the PCI bus, "0000:3b:00.0". Unknown where it is not NVIDIA's. The driver
// looks about ten times a second: what is read is up to 0.1 s old.
struct clocks clocks_now(const char *bus_id);
void clocks_join(struct clocks *of_all, struct clocks now);
// In a word, the n-th of the things that hold it down; NULL: there are no more.
const char *clocks_limit(struct clocks c, int n);

#ifdef __cplusplus
}
#endif
#endif
