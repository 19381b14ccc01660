// SPDX-License-Identifier: MIT
// Of a kernel under AddressSanitizer: memory to which nothing points any more when it ends.
#ifndef LEAKS_H
#define LEAKS_H

#include <stdbool.h>
#include <stddef.h>

// Before the first call; false: this is no build of AddressSanitizer's.
bool leaks_watched(void);
// Around each call, as what a kernel takes is what it may leak.
void leaks_of_kernel(bool kernel);
// Bytes that are taken and not given back.
size_t leaks_taken(void);
#endif
