// SPDX-License-Identifier: MIT
// What a session asks for and what it works with, between lab.h and these files.
#ifndef SESSION_H
#define SESSION_H

#include "lab.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- options.c: the command line --------------------------------------------------------------
void parse_options(struct options *opt, int argc, char **argv);

// ---- shapes.c: the battery behind --check -----------------------------------------------------
int battery_size(void);
// Shape number `index` of the battery for a lab with this tile; false when there are no more.
bool battery_shape(struct tile tile, int index, struct outcome *shape);
// The same of what --rehearse tries before the size asked for.
bool rehearsal_shape(struct tile tile, int index, struct outcome *shape);
// How many are right of each kind of shape.
void print_groups(const struct outcome *outcomes, int count);

// ---- device.c ---------------------------------------------------------------------------------
// Which of `count` devices --device asks for: `fallback` where it does not. Handles --list-devices
// (prints, exit 0) and a device that is not there (exit 2). names[i] is printed as it is.
int choose_device(const struct options *opt, int count, char (*names)[256], char (*facts)[256],
                  int fallback);
void choose_cpu(struct lab *lab);
void require_cpu(void); // exit 77 where it lacks the instructions that the kernel is compiled for

// ---- ceilings.c: what the device can do at most -----------------------------------------------
// What `make ceilings` measured on this device; 0: it did not. On a CPU, times the cores that the
// timed runs used.
struct ceilings {
    int cores;             // 0: not a CPU
    double gflops, gbs;    // of the instruction set that the kernel is compiled for
    double best;           // GFLOP/s of the best one
    char instructions[16]; // the kernel's, "" where there is no choice
    char best_instructions[16];
};
struct ceilings read_ceilings(const struct lab *lab);
void judge_speed(struct lab *lab); // exit 1 if no device has it; or no speed is claimed

// ---- steady.c: of a GPU -----------------------------------------------------------------------
int steady_launches(const struct lab *lab); // 0: there is no such run
void end_steady_run(struct lab *lab, double ms);

// ---- growth.c ---------------------------------------------------------------------------------
// Behind a run: how many more it takes to tell whether the kernel keeps more with each, which is
// said to stderr.
int calls_to_see_growth(const struct lab *lab);

// ---- runs.c: the session, of a problem after the other ----------------------------------------
bool begin_problem(struct lab *lab); // false: there are no more
bool begin_run(struct lab *lab);     // A and B are filled, C is poisoned; false: no run is left
void finish_run(struct lab *lab, struct times times); // verifies

// ---- report.c ---------------------------------------------------------------------------------
void report_problem(struct lab *lab); // what was measured

// ---- conclusion.c -----------------------------------------------------------------------------
void keep_ending(struct lab *lab); // in the record, from now on
int conclude(struct lab *lab);     // after the last problem: the exit status

#ifdef __cplusplus
}
#endif
#endif
