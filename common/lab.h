// SPDX-License-Identifier: MIT
// What the labs share, in layers; each header includes those before it.
//
//     base.h     how a program ends, the clock
//     matrix.h   problems: seeded inputs, poison and guard words
//     verify.h   is C right, and what is wrong with it?
//     lab.h      this one: the session, which main drives
//     ocl.h, cuda.h   the two GPU APIs; gate.h   no time of the host in those of CUDA; ranks.h   MPI
//
//     lab.c      command line -> problems -> runs     trials.c    a wrong run is done again
//     options.c  the command line                     ceilings.c  what the device can do at most
//     shapes.c   the battery behind --check           report.c    statistics, print
//     device.c   choosing a device                    csv.c, record.c, json.c  the same for programs
//     failure.c  what is said of a wrong result       tuned.c     what make tune found
//     trap.c     what is read outside of A, B, C
//     clocks.c   what limits the clock of a GPU       ocl_clock.c the same, and times, in OpenCL
#ifndef LAB_H
#define LAB_H

#include "cuda/clocks.h"
#include "session/config.h"
#include "verify.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_REPS = 1000, MAX_SHAPES = 64, MAX_ONCE = 16 };

struct options {
    int M, N, K;
    int sizes[3 * MAX_ONCE], problems; // with `once` there may be several, one after the other
    int reps;           // timed repetitions; 0: as many as fit into about a second, 3 to 20
    bool error;         // print it
    bool again;         // timed runs alone, as the same program was verified at this size before
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

// Milliseconds of one run. A CPU lab fills in kernel and cpu; a GPU lab kernel, h2d and d2h, to the device
// and back; an MPI lab all of them, to the ranks and back.
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

// A launch among others, back to back, on a GPU that is as warm as it gets and clocked as low as its power allows.
struct steady {
    int launches; // 0: there were none
    double ms;    // of one
};

// What `make ceilings` measured on this device; 0: it did not. On a CPU, times the cores that the timed runs used.
struct ceilings {
    int cores;             // 0: not a CPU
    double gflops, gbs;    // of the instruction set that the kernel is compiled for
    double best;           // GFLOP/s of the best one
    char instructions[16]; // the kernel's, "" where there is no choice
    char best_instructions[16];
};

// Of elements of C that were compared with a product in double.
struct error {
    long elements; // 0: no run was with real numbers
    double mean, largest;
};

// One execution of ./gemm.
struct lab {
    struct options opt;
    struct problem problem;
    struct tile tile;
    const char *backend;                   // "cpu", "opencl", "cuda" or "emulated"
    const char *variant;                   // "" for ./gemm, "chapter" for ./gemm_chapter
    char device[256];                      // its name
    struct ranks ranks;                    // filled in by an MPI lab
    double alloc_ms, context_ms, build_ms; // filled in by a GPU lab; negative: does not apply
    int csv;                               // the open file, or -1
    // Where next_problem and next_run are.
    int rehearsals; // small odd shapes, that were tried before the problem asked for
    bool rehearsal; // is this one of them?
    bool sized;     // was there one that says how long it will take?
    bool asked_for; // is this the one that is timed?
    int run, runs;
    bool back_to_back; // main can: it does `launches`, and times those from the middle on
    int launches; // of the run in work: 1, or many where it is the steady one; 0: no run is left
    enum trial trial;   // of a run that was wrong
    real *wrong_c;      // what it left in C
    const char *method; // how the last run was verified
    struct times times[MAX_REPS];
    struct steady steady;
    double ahead_ms;         // of the host, of whom the device had so much left to do at the end
    struct clocks clocks[2]; // of an NVIDIA GPU: in the timed runs, and in the steady one
    struct error error;      // of the last right run with real numbers
    // What became of it.
    int shapes; // that were begun
    struct outcome outcomes[MAX_SHAPES];
    bool failed;             // one of them; the first is explained by
    struct findings finding; // these
    struct cause cause;      // as it was told
    bool trapped;            // there was nothing beside A, B and C in some runs
    bool stopped;            // because of it, no other shape is tried
    bool impossible;         // a speed that no device has
    bool reported;           // the times were verified and printed
};

// ---- lab.c: the session ---------------------------------------------------------------------
// Reads the command line (errors: one line, exit 2) and leaves with status 77 where this CPU lacks
// what the lab needs. `backend` as in struct lab.
void lab_begin(struct lab *lab, int argc, char **argv, const char *backend, struct tile tile);
// The size on the command line, once, and with --once all that are there; with --check every shape of the battery. Frees the last one.
bool next_problem(struct lab *lab);
// Two runs to verify (INTEGERS, UNIFORM), then the timed ones, on a GPU the steady one. Fills A and B anew
// for each run, so that no kernel can remember a result, and poisons C.
bool next_run(struct lab *lab);
// What main saw of a GPU: its clock while it worked, and how long that took once all was queued.
void note_device(struct lab *lab, struct clocks clocks, double ahead_ms);
// Takes one run's times and verifies it. A wrong result ends the problem, once it is explained.
void end_run(struct lab *lab, struct times times);
// Prints what was measured, appends to the CSV. Call it after the last run of a problem.
void print_report(struct lab *lab);
// The exit status of a program that got this far.
int lab_end(struct lab *lab);
// Is this a CUDA kernel that emulation/ runs on the CPU? Then its times mean nothing.
bool is_emulated(const struct lab *lab);
// Neither --check nor --once.
bool is_timed(const struct lab *lab);
// Does a person see a line while it is written? mpirun gives its ranks a terminal of their own, whoever reads.
bool on_terminal(const struct lab *lab);
// To a device, or to ranks: does it take copies to have A and B where they are used?
bool has_copies(const struct lab *lab);
// Why this kernel is a student's that is not done yet, or NULL. It is verified all the same.
const char *unfinished(const struct lab *lab);

// ---- options.c, shapes.c, device.c, trials.c, failure.c --------------------------------------------------
void parse_options(struct options *opt, int argc, char **argv);
int battery_size(void);
// Shape number `index` of the battery for a lab with this tile; false when there are no more.
bool battery_shape(struct tile tile, int index, struct outcome *shape);
// The same of what --rehearse tries before the size asked for.
bool rehearsal_shape(struct tile tile, int index, struct outcome *shape);
void print_groups(const struct outcome *outcomes,
                  int count); // right of all, for each kind of shape
// Which of `count` devices --device asks for: `fallback` where it does not. Handles --list-devices
// (prints, exit 0) and a device that is not there (exit 2). names[i] is printed as it is.
int choose_device(const struct options *opt, int count, char (*names)[256], char (*facts)[256],
                  int fallback);
void choose_cpu(struct lab *lab);
void begin_trials(struct lab *lab, const struct findings *f);
void prepare_trial(struct lab *lab);
bool end_trial(struct lab *lab, double ms); // false: that was the last one
void fail_problem(struct lab *lab);         // its result is wrong
void conclude_failure(struct lab *lab);     // after the last problem

// ---- trap.c: in some runs of the battery whoever touches what is outside A, B and C is stopped -----------
void lay_between_traps(struct lab *lab); // before the matrices are filled
void set_traps(struct lab *lab);         // before the kernel runs
void lift_traps(void);                   // after it

// ---- tuned.c ----------------------------------------------------------------------------------
// What make tune found for this program, or NULL; and with what was given on make's command line.
const struct tuned *tuned_of(const struct lab *lab);
const char *settings_of(const struct lab *lab);
struct rounding rounding_of(const struct lab *lab);
bool same_device(const char *one, const char *other);

// ---- ceilings.c, report.c, csv.c, record.c ----------------------------------------------------
extern const char instructions[]; // instructions.c: the set that the kernel is compiled for
// lab.c: what the library that the kernel calls says it is; "" where it calls none (baseline/).
extern char used_library[160];
struct ceilings read_ceilings(const struct lab *lab);
void refuse_impossible_speed(struct lab *lab);   // exit 1
double gflops(const struct lab *lab, double ms); // of the size on the command line
struct summary {
    double median, minimum, spread; // spread: distance of the quartiles over the median
};
struct summary summarize(const struct lab *lab, size_t offset); // of a member of struct times
int timed_runs(const struct lab *lab);
void open_csv(struct lab *lab); // exit 2 where --csv names a file that cannot be written
void append_csv(const struct lab *lab, const struct ceilings *c);
void write_record(const struct lab *lab, const char *verdict, const char *reason);

#ifdef __cplusplus
}
#endif
#endif
