// SPDX-License-Identifier: MIT
// What the labs share. This folder is what main drives, to be read in this order:
//
//     lab.h, lab.c      the session: command line -> problems -> runs
//     fill.h, fill.c    A, B and C: seeded inputs, poison, guard words
//     verify.h, verify.c, tolerance.c   is C right? how far off may it be?
//     findings.h        what is wrong with it
//     time.c            how often, and what the times say
//     base.h, base.c    how a program ends, the clock; strict.h   never without NaN
//
// and each folder is for who asks:
//
//     guest/       a kernel runs in a process of its own
//     session/     what was asked for, on what device, at what shapes; what is printed
//     diagnosis/   why is C wrong?
//     large/       what takes minutes, or more than int or memory can hold
//     record/      the same for programs: CSV, JSON
//     opencl/, cuda/   the two GPU APIs; what limits the clock of a GPU
//     simde/       AVX intrinsics for other CPUs
#ifndef LAB_H
#define LAB_H

#include "cuda/clocks.h"
#include "diagnosis/room.h"
#include "findings.h"
#include "session/config.h"

#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_REPS = 1000, MAX_SHAPES = 128, MAX_ONCE = 16 };

struct options {
    int M, N, K;
    int sizes[3 * MAX_ONCE], problems; // with `once` there may be several, one after the other
    int reps;           // timed repetitions; 0: as many as fit into about a second, 3 to 20
    bool error;         // print it
    bool no_warmup;     // timed runs alone, as the same program was verified at this size before
    uint32_t seed;      // of the inputs
    const char *csv;    // append one row per timed repetition to this file, or NULL
    const char *json;   // write what happened to this file, or NULL
    const char *device; // index or part of a name, or NULL for the default
    const char *binary; // OpenCL: write the compiled program to this file, or NULL
    bool list_devices;
    bool check;    // run the battery of shapes instead of one size
    bool once;     // one run of each problem, and no times
    bool rehearse; // small odd shapes before a square
};

// Milliseconds of one run. A CPU lab fills in kernel and cpu; a GPU lab kernel, h2d and d2h, to the
// device and back; an MPI lab all of them, to the ranks and back.
struct times {
    double kernel, cpu, h2d, d2h;
};

// Of an MPI lab: they are a grid of rows x cols.
struct ranks {
    int count; // 0: this lab has none
    int rows, cols;
    int cores; // that they can compute on at a time, of all machines together
    int nodes; // machines
};

// Where a matrix lies in the pages that it has: at a page and with guards around it; at a page,
// with nothing before it; or less than ALIGNMENT before the end of a page, with nothing behind it.
enum edge { WITH_ROOM, AT_BEGINNING, AT_END };

// A launch among others, back to back, on a GPU that is as warm as it gets and clocked as low as
// its power allows.
struct steady {
    int launches; // 0: there were none
    double ms;    // of one
};

// Of elements of C that were compared with a product in double.
struct error {
    long elements; // 0: no run was with real numbers
    double mean, largest;
};

struct judged; // session/session.h

// One execution of ./gemm.
struct lab {
    struct options opt;
    struct problem problem;
    uint32_t seed_before; // of the run before the one in work
    struct tile tile;
    const char *backend;                   // "cpu", "opencl", "cuda" or "emulated"
    const char *variant;                   // "" for ./gemm, "published" for ./gemm_published
    char device[256];                      // its name
    struct ranks ranks;                    // filled in by an MPI lab
    double alloc_ms, context_ms, build_ms; // filled in by a GPU lab; negative: does not apply
    int csv;                               // the open file, or -1
    // Where next_problem and next_run are.
    int tried;      // shapes of the battery, those that were left out as well
    int rehearsals; // small odd shapes, that were tried before the problem asked for
    bool rehearsal; // is this one of them?
    bool sized;     // was there one that says how long it will take?
    bool asked_for; // is this the one that is timed?
    int run, runs;
    bool back_to_back; // main can: it does `launches`, and times those from the middle on
    int launches;   // of the run in work: 1, or many where it is the steady one; 0: no run is left
    enum edge edge; // where the matrices lie in that run
    enum trial trial;   // of a run that was wrong
    real *wrong_c;      // what it left in C
    const char *method; // how the last run was verified
    struct times times[MAX_REPS];
    struct steady steady;
    double ahead_ms;         // of the host, of whom the device had so much left to do at the end
    struct clocks clock;     // of the device, in the last run
    struct clocks clocks[2]; // of an NVIDIA GPU: in the timed runs, and in the steady one
    struct error error;      // of the last right run with real numbers
    // What became of it.
    int shapes; // that were begun
    struct outcome outcomes[MAX_SHAPES];
    bool failed;             // one of them; the first is explained by
    struct findings finding; // these
    struct cause cause;      // as it was told
    bool has_room;           // a kernel that reads beside A or B may do so from now on
    char outside[160];       // that it did, and where; "": it did not
    bool trapped;            // there was nothing beside A, B and C in some runs
    // How the kernel's process first did in a run: crash, limit, memory, exit, main; or NULL
    const char *ended;
    char end_reason[1024];       // and why
    enum lack refused;           // memory, to the kernel in the last run
    size_t kept;                 // bytes, by the kernel: where a sanitizer counts them
    size_t grown;                // bytes that it keeps more with each call; 0: it does not
    bool is_alone;               // one process is both; see guest/guest.h
    bool is_guest;               // this is the child
    bool stopped;                // no other shape is tried
    const struct judged *judged; // who judges in another program, and how; NULL: this is ./gemm
    char no_speed[160];          // why a right result has none; "": it has one
    bool reported;               // the times were verified and printed
};

// ---- what main calls --------------------------------------------------------------------------
// Reads the command line (errors: one line, exit 2) and leaves with status 77 where this CPU lacks
// what the lab needs. Then it forks: main goes on in the child, and the parent, which never returns
// from here, does the rest (guest/guest.h). With GEMM_ALONE=1 in the environment, for a debugger,
// one process does both. `backend` as in struct lab.
void lab_begin(struct lab *lab, int argc, char **argv, const char *backend, struct tile tile);
// The size on the command line, once, and with --once all that are there; with --check every shape
// of the battery.
bool next_problem(struct lab *lab);
// Two runs to verify (INTEGERS, UNIFORM), then the timed ones, on a GPU the steady one. A and B are
// filled anew for each run, so that no kernel can remember a result, and C is poisoned.
bool next_run(struct lab *lab);
// What main saw of a GPU: its clock while it worked, and how long that took once all was queued. In
// session/steady.c.
void note_device(struct lab *lab, struct clocks clock, double ahead_ms);
// Gives one run's times away, and C is verified. A wrong result ends the problem, once it is
// explained.
void end_run(struct lab *lab, struct times times);
// Prints what was measured, appends to the CSV. Call it after the last run of a problem.
void print_report(struct lab *lab);
// The exit status of a program that got this far.
int lab_end(struct lab *lab);

// ---- what all may ask -------------------------------------------------------------------------
// Is this a kernel for a GPU that engine/ runs on the CPU? Then its times mean nothing.
static inline bool is_emulated(const struct lab *lab)
{
    return strcmp(lab->backend, "emulated") == 0;
}

// Neither --check nor --once.
static inline bool is_timed(const struct lab *lab)
{
    return !lab->opt.check && !lab->opt.once;
}

// ---- time.c -----------------------------------------------------------------------------------
struct summary {
    double median, minimum, spread; // spread: interquartile range / median
};
int repetitions(const struct lab *lab, double ms); // where one takes so long
int timed_runs(const struct lab *lab);
struct summary summarize(const struct lab *lab, size_t offset); // of a member of struct times
double gflops(const struct lab *lab, double ms);                // of the size on the command line

#ifdef __cplusplus
}
#endif
#endif
