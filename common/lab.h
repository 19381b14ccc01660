// SPDX-License-Identifier: MIT
// What the labs share. Every lab computes C = A * B, row-major and dense: A is M x K, B is K x N,
// C is M x N, with leading dimensions K, N, N. `real` is float, double or int (make TYPE=...).
//
//     lab.c      the session: command line -> problems -> runs      verify.c   is C right?
//     options.c  the command line                                   explain.c  what is wrong with it
//     shapes.c   the battery of shapes behind --check               report.c   statistics, print, CSV
//     matrix.c   seeded inputs, poison and guard words              ocl.c, cuda.h   the two GPU APIs
#ifndef LAB_H
#define LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_SKIPPED = 77 }; // 0: verified
enum { MAX_REPS = 1000 };

// On either side of A, B and C. make race sets 0, so that a tool sees what is touched outside.
#ifndef GUARD_BYTES
#define GUARD_BYTES 4096
#endif

#define REAL_IS_INT ((real)0.5 == 0)

struct options {
    int M, N, K;
    int reps;           // timed repetitions; 0: as many as fit into about a second, 3 to 20
    uint32_t seed;      // of the inputs
    const char *csv;    // append one row per timed repetition to this file, or NULL
    const char *device; // index or part of a name, or NULL for the default
    const char *binary; // OpenCL: write the compiled program to this file, or NULL
    bool list_devices;
    bool check; // run the battery of shapes instead of one size
};

// A row-major matrix between two guards of GUARD_BYTES each:  block [guard | data | guard]
struct matrix {
    int rows, cols; // the leading dimension is cols
    real *data;
    void *block;
    size_t bytes; // of the whole block; this is what a GPU lab copies
};

// Two sets of inputs. INTEGERS have exact sums whatever their order, so C must match bit for bit;
// UNIFORM values in [-1,1) are what is timed.
enum data_set { INTEGERS, UNIFORM };

struct problem {
    int M, N, K;
    struct matrix A, B, C;
    enum data_set set;
    uint32_t seed;
};

// Milliseconds of one run. A CPU lab fills in kernel and cpu; a GPU lab kernel, h2d and d2h.
struct times {
    double kernel, cpu, h2d, d2h;
};

// What one work unit (a block of loops, a work-group, a thread block) computes of C, and how many k
// it takes at a time. Shapes around these are where kernels break.
struct tile {
    int m, n, k;
};

// One execution of ./gemm.
struct lab {
    struct options opt;
    struct problem problem;
    struct tile tile;
    const char *backend;                   // "cpu", "opencl", "cuda" or "emulated"
    const char *variant;                   // "" for ./gemm, "chapter" for ./gemm_chapter
    char device[256];                      // its name
    double alloc_ms, context_ms, build_ms; // filled in by a GPU lab; negative: does not apply
    int shape, run, runs;                  // where next_problem and next_run are
    struct times times[MAX_REPS];
    const char *method; // how the last run was verified
};

// ---- lab.c: the session ---------------------------------------------------------------------
// Reads the command line (errors: one line, exit 2) and leaves with status 77 where this CPU lacks
// what the lab needs. `backend` as in struct lab.
void lab_begin(struct lab *lab, int argc, char **argv, const char *backend, struct tile tile);
// The size on the command line, once; with --check every shape of the battery. Frees the last one.
bool next_problem(struct lab *lab);
// Two runs to verify (INTEGERS, UNIFORM), then the timed ones. Fills A and B anew for each run, so
// that no kernel can remember a result, and poisons C.
bool next_run(struct lab *lab);
// Is this a CUDA kernel that emulation/ runs on the CPU? Then its times mean nothing.
bool is_emulated(const struct lab *lab);
// Takes one run's times and, for the first two runs and the last, verifies it: a wrong result is
// explained and ends the program with status 1.
void end_run(struct lab *lab, struct times times);
// Prints what was measured, appends to the CSV. Call it after the last run of a problem.
void print_report(struct lab *lab);
// The exit status of a program that got this far.
int lab_end(struct lab *lab);

double now_ms(void); // monotonic clock
// One line on stderr, "gemm: ...", then exit(status).
#ifdef __GNUC__
__attribute__((noreturn, format(printf, 2, 3)))
#endif
void leave(int status, const char *format, ...);
// Which of `count` devices --device asks for: `fallback` where it does not. Handles --list-devices
// (prints, exit 0) and a device that is not there (exit 2). names[i] is printed as it is.
int choose_device(const struct options *opt, int count, char (*names)[256], char (*facts)[256],
                  int fallback);

// ---- options.c, shapes.c, matrix.c ------------------------------------------------------------
void parse_options(struct options *opt, int argc, char **argv);
// Shape number `index` of the battery for a lab with this tile; false when there are no more.
bool battery_shape(struct tile tile, int index, int *M, int *N, int *K);
void problem_create(struct problem *p, int M, int N, int K); // exit 2 where memory does not suffice
void problem_free(struct problem *p);
void fill_inputs(struct problem *p, enum data_set set, uint32_t seed); // A, B and their guards
void poison_output(struct problem *p);                                 // C and its guards
// Number of changed words in the guards / of changed elements in an input (0 is good). *where gets
// the first: elements from the start of the matrix, negative before it.
long broken_guards(const struct problem *p, const struct matrix *m, long *where);
long changed_elements(const struct problem *p, const struct matrix *m, long *where);
void *scratch(size_t count,
              size_t size); // zeroed memory to verify with; exit 2 where there is none
bool is_poison(real x);     // true if x still has the bits that poison_output wrote

// ---- verify.c, explain.c ----------------------------------------------------------------------
enum { MAP_ROWS = 16, MAP_COLS = 32 };

// What verify() finds wrong; explain() turns it into sentences.
struct findings {
    long guard_words[3], guard_at[3];   // of A, B, C
    long input_changes[2], input_at[2]; // of A, B
    long rows_failed;                   // by Freivalds' test, where it was used
    long wrong, examined;               // elements of C
    int i, j;                           // the first wrong one
    double got, expected, bound;
    int i_min, i_max, j_min, j_max;    // where the wrong ones are
    long poison, nan, zero, imprecise; // what they look like
    long probed;                       // how many of them were compared with the following, too
    long first_k, last_k, only_last, a_transposed, b_transposed, c_transposed;
    int map_wrong[MAP_ROWS][MAP_COLS], map_seen[MAP_ROWS][MAP_COLS];
};

// Checks guards, inputs and C. Returns true if all is well; *method says how C was checked.
bool verify(const struct problem *p, struct findings *f, const char **method);
void explain(const struct problem *p, const struct findings *f, struct tile tile, FILE *out);

// ---- report.c ---------------------------------------------------------------------------------
void open_csv(const struct lab *lab); // exit 2 where --csv names a file that cannot be written

#ifdef __cplusplus
}
#endif
#endif
