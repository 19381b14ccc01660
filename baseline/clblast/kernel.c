// SPDX-License-Identifier: MIT
// CLBlast as it comes: with the parameters that its makers found for this device, or one like it.
#include "clblast.h"

static void set_up(void *library, cl_device_id device)
{
    (void)library, (void)device;
    snprintf(used_library, sizeof used_library, "CLBlast, as it comes");
}
