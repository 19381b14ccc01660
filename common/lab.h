// SPDX-License-Identifier: MIT
// A lab computes C = A * B. It shares with the others: seeded inputs, verification, timing.
//
// Do this:
//
//     struct lab lab;
//     lab_begin(&lab, argc, argv, "cpu", (struct tile){TILE_M, TILE_N, TILE_K});
//     while (next_problem(&lab)) {       // the size asked for, or each shape of --check
//         struct problem *p = &lab.problem;
//         while (next_run(&lab)) {       // two runs to warm up, then the timed ones
//             struct times times = {0};
//             ... compute p->C from p->A and p->B, and measure times ...
//             end_run(&lab, times);      // verifies C, in each run
//         }
//         print_report(&lab);
//     }
//     return lab_end(&lab);
//
// The files of this folder need nothing else. A function marked FALLBACK is simple, and a weak
// symbol: if the folder session/ is there, its function of the same name is linked instead. It adds
// options (--device), a report, a diagnosis, and a separate process for the kernel.
#ifndef LAB_H
#define LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

#define FALLBACK __attribute__((weak))
// ---- problems: row-major and dense, leading dimensions K, N, N ----------------------------------
#define REAL_IS_INT ((real)0.5 == 0) // make defines `real`: float, double or int (TYPE=...)

// Bytes on either side of A, B and C. make race sets 0, because a tool reports accesses outside.
#ifndef GUARD_BYTES
#define GUARD_BYTES 4096
#endif

// A row-major matrix between two guards:  block [guard | data | guard]
struct matrix {
    int rows, cols; // the leading dimension is cols
    real *data;
    void *block;
    size_t bytes; // of the block: a GPU lab copies all of it
};

// INTEGERS have exact sums in any order: C must match bit for bit. UNIFORM: [-1, 1), for timing.
enum data_set { INTEGERS, UNIFORM };

// A block of loops, a work-group or a thread block computes m x n elements of C, k at a time.
struct tile {
    int m, n, k;
};

struct problem {
    int M, N, K;
    struct tile tile;
    struct matrix A, B, C; // M x K, K x N, M x N
    enum data_set set;
    uint32_t seed;
};

// ---- lab.c: what main calls ---------------------------------------------------------------------
struct times {          // of one run, in ms
    double kernel, cpu; // elapsed, and of all threads of a CPU lab
    double h2d, d2h;    // of a GPU lab: copies to the device and back
};

struct lab {
    struct problem problem; // the current one
    struct tile tile;       // of the kernel
    const char *backend;    // "cpu", "opencl", "cuda", or "emulated": the CPU runs a GPU kernel
    char device[256];       // the name of the device
    char bus_id[32];        // its address on the PCI bus, "0000:3b:00.0"; "": unknown
    double alloc_ms, context_ms, build_ms; // of a GPU lab
    bool is_timed;                         // false: a shape of --check
    int run;                               // 0, 1, ... of the problem; 0 and 1 are not timed
    int launches;      // of the kernel in this run; if more than 1, main times the second half
    bool back_to_back; // the device is a GPU: session/ asks for many launches in the last run
    struct session *session; // of session/; NULL without it
};

// Reads the command line. An error is one line, and exit status 2.
void lab_begin(struct lab *lab, int argc, char **argv, const char *backend, struct tile tile);
bool next_problem(struct lab *lab); // false: there is none left
bool next_run(struct lab *lab);     // fills A and B anew and poisons C; false: no run is left
void end_run(struct lab *lab, struct times times); // verifies C; if it is wrong, no run follows
void print_report(struct lab *lab);                // after the last run of a problem
int lab_end(struct lab *lab);                      // the exit status

// The index of one of `count` devices: `standard`, or in session/ that of --device.
int choose_device(struct lab *lab, int count, char (*names)[256], char (*facts)[256], int standard);
// Called while a GPU works: session/ reads its clock, and waits for a millisecond.
void watch_gpu(struct lab *lab);

// ---- fill.c -------------------------------------------------------------------------------------
size_t elements_of(const struct matrix *m);
bool matrix_create(struct matrix *m, int rows, int cols); // false: there is no memory
void size_problem(struct problem *p, struct tile tile, int M, int N, int K); // without memory
void problem_create(struct problem *p, struct tile tile, int M, int N, int K);
void problem_free(struct problem *p);
void fill_inputs(struct problem *p, enum data_set set, uint32_t seed); // A, B and their guards
void poison_output(struct problem *p);                                 // C and its guards
// Changed words of the guards, changed elements of an input: 0 is good. *where: the first one, in
// elements from the start of the matrix.
long broken_guards(const struct problem *p, const struct matrix *m, long *where);
long changed_elements(const struct problem *p, const struct matrix *m, long *where);
bool is_poison(real x); // does it have bits that poison_output() writes?

// ---- verify.c -----------------------------------------------------------------------------------
// What a kernel with tensor cores may do beside the arithmetic of `real`. All zero: nothing.
struct precision {
    double roundoff; // A and B may be rounded to it
    bool truncates;  // sums are truncated
    double scale;    // factor of UNIFORM values of A, divisor of those of B; 0: 1
};
extern struct precision precision;

enum { SEEN = 1, WRONG = 2 }; // flags of an element in found.marks

struct found {
    long guard_words[3], guard_at[3];   // changed words beside A, B, C, and the first one
    long input_changes[2], input_at[2]; // changed elements of A, B
    long wrong, examined;               // elements of C
    long suspects;                      // rows that session/ finds wrong by a test of all C
    double errors, largest_error;       // the sum of |got - expected|, and the largest
    int i, j;                           // the first wrong element
    double got, expected, bound;
    unsigned char *marks; // M x N, for verify_product() to fill in; NULL: it does not
};

// Checks guards, inputs and C; true: all are right. Every element of C is checked if M * N * K is
// at most `small`, usually SMALL_PRODUCT, else those of some rows. *method says which.
#define SMALL_PRODUCT (512.0 * 512 * 512)
bool verify(const struct problem *p, double small, bool sampled, struct found *f,
            const char **method);
bool verify_product(const struct problem *p, double small, bool sampled, struct found *f,
                    const char **method); // C alone
bool guards_hold(const struct problem *p, struct found *f);
// Chooses the rows to check and names the method. `sampled`: session/ adds rows to its suspects.
const char *choose_rows(const struct problem *p, bool sampled, bool *chosen, struct found *f);
bool is_exact(const struct problem *p); // C must match bit for bit
// If it is not exact, the tolerance of an element divided by the root of its products' squares.
double rounding_factor(const struct problem *p);

// ---- time.c -------------------------------------------------------------------------------------
double now_ms(void); // monotonic clock
struct summary {
    double median, minimum, spread; // spread: interquartile range / median
};
struct summary summarize(double *values, int count); // which it sorts

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_SKIPPED = 77 }; // 0: verified
// Prints "gemm: ..." on stderr, then exit(status).
__attribute__((noreturn, format(printf, 2, 3))) void exit_with(int status, const char *format, ...);
// How this process ends. exit_with() calls record, and end in place of exit(); NULL: nothing.
struct ending {
    bool decided; // false: it is not the program that ends, but a kernel that calls exit()
    int status;   // of exit_with()
    void (*record)(void *context, int status, const char *reason);
    void (*end)(int status);
    void *context;
};
extern struct ending ending;
void *scratch(size_t count, size_t size); // zeroed memory; exit status 2 if there is none

#ifdef __cplusplus
}
#endif
#endif
