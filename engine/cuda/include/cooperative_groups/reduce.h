// SPDX-License-Identifier: MIT
#include "../cooperative_groups.h"
