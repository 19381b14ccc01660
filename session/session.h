// SPDX-License-Identifier: MIT
// The state of a session and the interfaces of its files. main sees only lab.h.
#ifndef SESSION_H
#define SESSION_H

#include "diagnosis/findings.h"
#include "session/clocks.h"
#include "session/config.h"

#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ALIGNMENT = 64 }; // bytes: A, B and C begin at a multiple
enum { MAX_REPS = 1000, MAX_SHAPES = 128, MAX_ONCE = 16 };

struct options {
    int M, N, K;
    int sizes[3 * MAX_ONCE], problems; // with `once` several, one after the other
    int reps;                          // timed repetitions; 0: about a second of them, 3 to 20
    bool error;                        // print the numerical error
    bool no_warmup;     // only timed runs: the program was verified at this size before
    uint32_t seed;      // of the inputs
    const char *csv;    // append one row per timed repetition to this file, or NULL
    const char *json;   // write a record to this file, or NULL
    const char *device; // index or part of a name, or NULL for the default
    const char *binary; // OpenCL: write the compiled program to this file, or NULL
    bool list_devices;
    bool check;    // run the battery of shapes instead of one size
    bool once;     // one run of each problem, and no times
    bool rehearse; // small odd shapes before a square
};

// The grid of an MPI lab's processes.
struct ranks {
    int count; // 0: not an MPI lab
    int rows, cols;
    int cores; // usable at a time, on all machines together
    int nodes; // machines
};

// Where a matrix lies in its pages: at a page and with guards around it; at a page, with nothing
// before it; or less than ALIGNMENT before the end of a page, with nothing behind it.
enum edge { WITH_ROOM, AT_BEGINNING, AT_END };

// Launches back to back, on a GPU that is as warm as it gets and clocked as low as its power limit
// requires.
struct steady {
    int launches; // 0: there was no such run
    double ms;    // of one launch
};

// The numerical error of the elements of C that were compared with a product in double.
struct error {
    long elements; // 0: every run was with whole numbers
    double mean, largest;
};

struct judged;

// One execution of ./gemm: all but main's part, which is struct lab.
struct session {
    struct lab *lab;
    struct options opt;
    uint32_t seed_before; // of the previous run
    const char *variant;  // "" for ./gemm, "published" for ./gemm_published
    struct ranks ranks;   // an MPI lab fills it in
    int csv;              // the open file, or -1
    // The state of next_problem() and next_run().
    int tried;      // shapes of the battery, including those that were left out
    int rehearsals; // small odd shapes tried before the requested problem
    bool rehearsal; // the current problem is one of them
    bool sized;     // one of them has shown how long the requested problem takes
    bool asked_for; // the current problem is the requested one
    int runs;
    enum edge edge;     // the place of the matrices in this run
    enum trial trial;   // of a run that was wrong
    real *wrong_c;      // the C of that run
    const char *method; // how the last run was verified
    struct times times[MAX_REPS];
    struct steady steady;
    double watched_from;     // by now_ms(), in this run; 0: the GPU was not watched yet
    double ahead_ms;         // how long the device still worked after the host had queued all
    struct clocks clock;     // of the device, in the last run
    struct clocks clocks[2]; // of an NVIDIA GPU: in the timed runs, and in the steady one
    struct error error;      // of the last right run with real numbers
    // The results.
    int shapes; // the number of shapes begun
    struct outcome outcomes[MAX_SHAPES];
    bool failed;                 // at least one shape is wrong
    struct findings finding;     // of the first wrong one
    struct cause cause;          // as printed
    bool has_room;               // memory surrounds A and B: the kernel has read beside them
    char outside[160];           // that access; "": none
    bool trapped;                // in some runs unmapped memory surrounded A, B and C
    const char *ended;           // the first end of the kernel's process in a run: crash, limit,
    char end_reason[1024];       // memory, exit, main; or NULL; and the reason
    enum lack refused;           // memory, to the kernel in the last run
    size_t kept;                 // bytes that the kernel has not freed, if a sanitizer counts them
    size_t grown;                // bytes by which this grows with each call
    bool is_alone;               // one process is host and guest: guest/guest.h
    bool is_guest;               // this process is the child
    bool stopped;                // no other shape is tried
    const struct judged *judged; // settings of the judge; NULL: this is ./gemm
    char no_speed[160];          // why no speed is claimed; "": it is
    bool reported;               // the times were verified and printed
};

// True if engine/ runs a GPU kernel on the CPU. Its times mean nothing then.
static inline bool is_emulated(const struct session *s)
{
    return strcmp(s->lab->backend, "emulated") == 0;
}

// Neither --check nor --once.
static inline bool is_timed(const struct session *s)
{
    return !s->opt.check && !s->opt.once;
}

// ---- repetitions.c ----------------------------------------------------------------------------
int repetitions(const struct session *s, double ms); // ms: of one
int timed_runs(const struct session *s);
struct summary summary_of(const struct session *s, size_t offset); // of a member of struct times
double gflops(const struct session *s, double ms);                 // of the size asked for

// ---- calls.c: what main calls ------------------------------------------------------------------
void begin_session(struct session *s, struct lab *lab, const char *backend, struct tile tile);

// ---- options.c: the command line --------------------------------------------------------------
void parse_options(struct options *opt, int argc, char **argv);

// ---- shapes.c: the battery behind --check -----------------------------------------------------
int battery_size(void);
// Shape number `index` of the battery for a lab with this tile; false: there is none.
bool battery_shape(struct tile tile, int index, struct outcome *shape);
// The same for the shapes that --rehearse tries before the requested size.
bool rehearsal_shape(struct tile tile, int index, struct outcome *shape);
// Prints for each kind of shape the number of right ones.
void print_groups(const struct outcome *outcomes, int count);

// ---- device.c ---------------------------------------------------------------------------------
void choose_cpu(struct session *s);
void require_cpu(void); // exit status 77 if the CPU lacks instructions of the kernel

// ---- ceilings.c: what the device can do at most -----------------------------------------------
// The peaks of this device as `make ceilings` measured them; 0: not measured. On a CPU they are
// multiplied by the number of cores that the timed runs used.
struct ceilings {
    int cores;             // 0: not a CPU
    double gflops, gbs;    // of the instruction set that the kernel is compiled for
    double best;           // GFLOP/s of the best instruction set
    char instructions[16]; // the kernel's; "" if there is no choice
    char best_instructions[16];
};
int decimals(double value); // to print four digits of it: 0.01230, 12.34, 43210
struct ceilings read_ceilings(const struct session *s);
void judge_speed(struct session *s); // exit status 1 if the speed is impossible

// ---- steady.c: the steady run of a GPU --------------------------------------------------------
int steady_launches(const struct session *s); // 0: there is no such run
void end_steady_run(struct session *s, double ms);

// ---- growth.c ---------------------------------------------------------------------------------
// After a run: the number of further runs that are needed to see whether the kernel's memory grows
// with each. Growth is reported on stderr.
int calls_to_see_growth(struct session *s);

// ---- runs.c: problems and their runs ----------------------------------------
// Settings of grading/judge.c: the kernel is another program, and does not know the shapes.
struct judged {
    const struct outcome *shapes; // instead of the battery
    const int *runs;              // of each shape
    int count;
    double call_ms, total_ms; // limits of processor time: of one run, of all runs
    size_t memory;            // limit of its process, in bytes; 0: the system's limits
    FILE *log;                // receives the kernel's output
    bool is_copied;           // the kernel has copies of A, B and C, for a tool
    uint64_t (*draw)(void);   // a random number that it cannot predict
};
// True if a CPU runs the kernel on A, B and C in shared memory. A tool gets copies.
static inline bool is_in_place(const struct session *s)
{
    return strcmp(s->lab->backend, "cpu") == 0 && GUARD_BYTES > 0 &&
           (s->judged == NULL || !s->judged->is_copied);
}

// True if a person sees a line while it is written. mpirun gives its ranks a terminal in any case.
static inline bool on_terminal(const struct session *s)
{
    return s->ranks.count == 0 && isatty(STDOUT_FILENO);
}

// True if A and B are copied to a device or to ranks before they are used.
static inline bool has_copies(const struct session *s)
{
    return s->lab->alloc_ms >= 0 || s->ranks.count > 0;
}

// True if the shape is in work, or its process ended.
static inline bool has_no_result(const struct outcome *o)
{
    return o->verdict == NULL ||
           (strcmp(o->verdict, "pass") != 0 && strcmp(o->verdict, "fail") != 0);
}

bool has_more_shapes(const struct session *s); // with --check
void take_again(struct session *s);            // repeats the shape with memory around it
bool begin_problem(struct session *s);         // false: there is none left
bool begin_run(struct session *s);             // fills A and B, poisons C; false: no run is left
void finish_run(struct session *s, struct times times); // verifies

// ---- report.c ---------------------------------------------------------------------------------
void report_problem(struct session *s); // prints the measurements

// ---- conclusion.c -----------------------------------------------------------------------------
void keep_ending(struct session *s); // from now on exit_with() writes the record
int conclude(struct session *s);     // after the last problem: the exit status

#ifdef __cplusplus
}
#endif
#endif
