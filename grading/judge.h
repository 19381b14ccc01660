// SPDX-License-Identifier: MIT
// Two programs that judge a kernel in another program, a guest in its sandbox.
//
//     judge.c   verifies it: the session of ./gemm --check, linked without a kernel, with shapes
//               from stdin
//     pairs.c   times it: calls of the kernel and of the reference in turn
//
//     options.c   command lines, shapes, random numbers
//     spent.c     times of a call, and cores
#ifndef JUDGE_H
#define JUDGE_H

#include "diagnosis/findings.h"

#include <sys/types.h>

// ---- options.c ----------------------------------------------------------------------------------
enum clock { WALL, PROCESSOR };
struct asked {
    const char *backend; // of struct lab
    struct tile tile;
    struct outcome *shapes; // group: for pairs the data, integers or uniform
    int *runs;              // of each
    int count;
    double call_ms, total_ms;
    size_t memory; // bytes
    bool is_copied, gpu;
    int cores; // shared by both guests of a pair
    enum clock clock;
    const char *record, *log;
    char **command, **reference; // reference: NULL if there is none
};
// Options with a value each, a command, and for pairs :: and the reference's. Exit 2 for a mistake.
struct asked read_options(char **words);
// The next random number: SipHash-2-4 of a counter, with the key in GEMM_KEY, which no guest sees.
// The numbers so far do not reveal the next.
uint64_t draw(void);

// ---- spent.c ------------------------------------------------------------------------------------
struct spent {
    double wall, processor, waited; // milliseconds
    double usual;                   // waiting time of a call that does nothing
};
void enter_cores(int count); // guests that are started now share so many cores; 0: all
void leave_cores(void);      // and this process takes the others, if there are any
struct spent spent_so_far(pid_t pid, enum clock clock);
struct spent spent_since(pid_t pid, enum clock clock, struct spent before);
bool had_to_wait(const struct spent *spent); // so long that the pair does not count
#endif
