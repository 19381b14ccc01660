// SPDX-License-Identifier: MIT
// What judges a kernel in another program, a guest in its sandbox: two programs.
//
//     judge.c   is it right? The session of ./gemm --check, linked without a kernel, at shapes
//               that come from stdin
//     pairs.c   how fast is it? Its calls and the reference's, one directly behind the other
//
//     options.c   their command lines, shapes, and what a kernel cannot foresee
//     spent.c     what a call took, and on which cores
#ifndef JUDGE_H
#define JUDGE_H

#include "fill.h"
#include "findings.h"

#include <sys/types.h>

// ---- options.c ----------------------------------------------------------------------------------
enum clock { WALL, PROCESSOR };
struct asked {
    const char *backend; // of struct lab
    struct tile tile;
    struct outcome *shapes; // of pairs: the data are their group, integers or uniform
    int *runs;              // of each
    int count;
    double call_ms, total_ms;
    size_t memory; // bytes
    bool is_copied, gpu;
    int cores; // that both guests of a pair share
    enum clock clock;
    const char *record, *log;
    char **command, **reference; // reference: NULL if there is none
};
// Options with a value each, a command, and of pairs :: and the reference's. Exit 2 for a mistake.
struct asked read_options(char **words);
// What comes next, of the key in GEMM_KEY, which no guest gets (SipHash-2-4 of a count: who has
// seen all numbers cannot tell the next).
uint64_t draw(void);

// ---- spent.c ------------------------------------------------------------------------------------
struct spent {
    double wall, processor, waited; // milliseconds
    double usual;                   // waited, by a call that does nothing
};
void enter_cores(int count); // that guests share from now on, if they are forked; 0: all
void leave_cores(void);      // for the others, if there are any
struct spent spent_so_far(pid_t pid, enum clock clock);
struct spent spent_since(pid_t pid, enum clock clock, struct spent before);
bool had_to_wait(const struct spent *spent); // so long that the call does not count
#endif
