// SPDX-License-Identifier: MIT
// The tiles of the variant hopper, so that the two differ in nothing but their sums.
#include "params_hopper.h"
