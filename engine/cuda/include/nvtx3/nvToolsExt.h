// SPDX-License-Identifier: MIT
#include "../nvToolsExt.h"
