// SPDX-License-Identifier: MIT
// What host.cpp says of a launch, for the functions in device.cpp by which a kernel asks.
#ifndef OPENCL_H
#define OPENCL_H

#include "../core/emulation.h"

struct ndrange {
    unsigned dimensions;
    std::size_t offset[3];
};
extern ndrange launched;
#endif
