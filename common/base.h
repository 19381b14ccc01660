// SPDX-License-Identifier: MIT
// The lowest layer: how a program ends, what time it is, memory to work with.
#ifndef BASE_H
#define BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_SKIPPED = 77 }; // 0: verified
enum lack { NOTHING_LACKS, MEMORY_LACKS, STACK_LACKS };     // to a kernel: diagnosis/room.h

// How this process ends. It is global because exit_with() is called from everywhere.
struct ending {
    bool decided;            // by exit_with() or lab_end(), not by a kernel that calls exit()
    int status;              // of exit_with()
    void (*end)(int status); // of this process; NULL: exit()
    void (*record)(void *context, int status, const char *reason); // NULL: no record is kept
    void *context;
};
extern struct ending ending;

// One line on stderr, "gemm: ...", then exit(status).
#ifdef __GNUC__
__attribute__((noreturn, format(printf, 2, 3)))
#endif
void exit_with(int status, const char *format, ...);
double now_ms(void);                      // monotonic clock
void *scratch(size_t count, size_t size); // zeroed memory; exit 2 where there is none
int decimals(double value);               // that show four digits of it: 0.01230, 12.34, 43210

#ifdef __cplusplus
}
#endif
#endif
