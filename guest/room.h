// SPDX-License-Identifier: MIT
// The limit of a kernel's memory, the same as in make grade, and the message if it was exceeded. A
// system without such a limit, as macOS, refuses nothing.
#ifndef ROOM_H
#define ROOM_H

#include "lab.h"

#ifdef __cplusplus
extern "C" {
#endif

enum lack { NOTHING_LACKS, MEMORY_LACKS, STACK_LACKS }; // to a kernel

// Limits this process, whose other parts have so many bytes of addresses.
void limit_memory(size_t others);

// ---- around a call of the kernel ----------------------------------------------------------------
void begin_memory(size_t matrices); // bytes of addresses for A, B and C
void end_memory(void);

// ---- the missing memory -------------------------------------------------------------------------
// Where a kernel crashes at this address; to be asked first of all, in the thread that does.
enum lack what_lacks(const void *address);
// In the thread of a call, before which errno was 0.
enum lack is_refused_memory(void);
enum lack was_refused_memory(void);     // in the call before the last end_memory()
const char *lack_in_words(enum lack l); // fewer than 96 bytes; NULL: nothing lacks

#ifdef __cplusplus
}
#endif
#endif
