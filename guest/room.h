// SPDX-License-Identifier: MIT
// How much memory a kernel has, here as where it is graded, and what is said where that was not
// enough. Where the system knows no such limit, as macOS does not, nothing is refused.
#ifndef ROOM_H
#define ROOM_H

#include "lab.h"

#ifdef __cplusplus
extern "C" {
#endif

enum lack { NOTHING_LACKS, MEMORY_LACKS, STACK_LACKS }; // to a kernel

// Of this process, which has so many bytes of addresses that are not its kernel's.
void limit_memory(size_t others);

// ---- around a call of a lab's program, whose own memory is not the kernel's -------------------
void begin_memory(size_t matrices); // bytes of addresses for A, B and C
void end_memory(void);

// ---- what was missing --------------------------------------------------------------------------
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
