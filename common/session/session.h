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
int calls_to_see_growth(struct lab *lab);

// ---- runs.c: the session, of a problem after the other ----------------------------------------
// A kernel that is judged in another program (grading/judge.c), with shapes that it does not know.
struct judged {
    const struct outcome *shapes; // in the place of the battery
    const int *runs;              // of each
    int count;
    double call_ms, total_ms; // of the processor; of all runs together
    size_t memory;            // bytes that its process may have; 0: its limits say it
    FILE *log;                // of what it prints
    bool is_copied;           // it is for a tool, and has copies of A, B and C
    uint64_t (*draw)(void);   // what it cannot foresee
};
// Does a CPU run the kernel on A, B and C as they lie in memory? A tool gets copies.
static inline bool is_in_place(const struct lab *lab)
{
    return strcmp(lab->backend, "cpu") == 0 && GUARD_BYTES > 0 &&
           (lab->judged == NULL || !lab->judged->is_copied);
}

// Does a person see a line while it is written? mpirun gives its ranks a terminal of their own,
// whoever reads.
static inline bool on_terminal(const struct lab *lab)
{
    return lab->ranks.count == 0 && isatty(STDOUT_FILENO);
}

// To a device, or to ranks: does it take copies to have A and B where they are used?
static inline bool has_copies(const struct lab *lab)
{
    return lab->alloc_ms >= 0 || lab->ranks.count > 0;
}

// Is it in work, or did its process end, however that was?
static inline bool has_no_result(const struct outcome *o)
{
    return o->verdict == NULL ||
           (strcmp(o->verdict, "pass") != 0 && strcmp(o->verdict, "fail") != 0);
}

bool has_more_shapes(const struct lab *lab); // with --check
void take_again(struct lab *lab);            // the same shape comes next, with room around
bool begin_problem(struct lab *lab);         // false: there are no more
bool begin_run(struct lab *lab); // A and B are filled, C is poisoned; false: no run is left
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
