// SPDX-License-Identifier: MIT
// make_float4 and the others.
#include "vector_types.h"
