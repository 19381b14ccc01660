// SPDX-License-Identifier: MIT
// What a session asks for and what it works with, between lab.h and these files.
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

// An MPI lab computes with rows x cols processes.
struct ranks {
    int count; // 0: this lab has none
    int rows, cols;
    int cores; // that they can compute on at a time, of all machines together
    int nodes; // machines
};

// Where a matrix lies in its pages: at a page and with guards around it; at a page, with nothing
// before it; or less than ALIGNMENT before the end of a page, with nothing behind it.
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

struct judged;

// One execution of ./gemm, beside what main sees of it.
struct session {
    struct lab *lab;
    struct options opt;
    uint32_t seed_before; // of the run before the one in work
    const char *variant;  // "" for ./gemm, "published" for ./gemm_published
    struct ranks ranks;   // filled in by an MPI lab
    int csv;              // the open file, or -1
    // Where next_problem and next_run are.
    int tried;      // shapes of the battery, those that were left out as well
    int rehearsals; // small odd shapes, that were tried before the problem asked for
    bool rehearsal; // is this one of them?
    bool sized;     // was there one that says how long it will take?
    bool asked_for; // is this the one that is timed?
    int runs;
    enum edge edge;     // where the matrices lie in this run
    enum trial trial;   // of a run that was wrong
    real *wrong_c;      // what it left in C
    const char *method; // how the last run was verified
    struct times times[MAX_REPS];
    struct steady steady;
    double watched_from;     // in ms by now_ms(), in the run in work; 0: it is not watched
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
    const char *ended;       // how the kernel's process first did in a run: crash, limit, memory,
    char end_reason[1024];   // exit, main; or NULL; and why
    enum lack refused;       // memory, to the kernel in the last run
    size_t kept;             // bytes, by the kernel: where a sanitizer counts them
    size_t grown;            // bytes that it keeps more with each call; 0: it does not
    bool is_alone;           // one process is both; see guest/guest.h
    bool is_guest;           // this is the child
    bool stopped;            // no other shape is tried
    const struct judged *judged; // who judges in another program, and how; NULL: this is ./gemm
    char no_speed[160];          // why a right result has none; "": it has one
    bool reported;               // the times were verified and printed
};

// Is this a kernel for a GPU that engine/ runs on the CPU? Then its times mean nothing.
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
int repetitions(const struct session *s, double ms); // where one takes so long
int timed_runs(const struct session *s);
struct summary summary_of(const struct session *s, size_t offset); // of a member of struct times
double gflops(const struct session *s, double ms);                 // of the size asked for

// ---- calls.c: what main calls ------------------------------------------------------------------
void begin_session(struct session *s, struct lab *lab, const char *backend, struct tile tile);

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
void choose_cpu(struct session *s);
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
int decimals(double value); // that show four digits of it: 0.01230, 12.34, 43210
struct ceilings read_ceilings(const struct session *s);
void judge_speed(struct session *s); // exit 1 if no device has it; or no speed is claimed

// ---- steady.c: of a GPU -----------------------------------------------------------------------
int steady_launches(const struct session *s); // 0: there is no such run
void end_steady_run(struct session *s, double ms);

// ---- growth.c ---------------------------------------------------------------------------------
// Behind a run: how many more it takes to tell whether the kernel keeps more with each, which is
// said to stderr.
int calls_to_see_growth(struct session *s);

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
static inline bool is_in_place(const struct session *s)
{
    return strcmp(s->lab->backend, "cpu") == 0 && GUARD_BYTES > 0 &&
           (s->judged == NULL || !s->judged->is_copied);
}

// Does a person see a line while it is written? mpirun gives its ranks a terminal of their own,
// whoever reads.
static inline bool on_terminal(const struct session *s)
{
    return s->ranks.count == 0 && isatty(STDOUT_FILENO);
}

// To a device, or to ranks: does it take copies to have A and B where they are used?
static inline bool has_copies(const struct session *s)
{
    return s->lab->alloc_ms >= 0 || s->ranks.count > 0;
}

// Is it in work, or did its process end, however that was?
static inline bool has_no_result(const struct outcome *o)
{
    return o->verdict == NULL ||
           (strcmp(o->verdict, "pass") != 0 && strcmp(o->verdict, "fail") != 0);
}

bool has_more_shapes(const struct session *s); // with --check
void take_again(struct session *s);            // the same shape comes next, with room around
bool begin_problem(struct session *s);         // false: there are no more
bool begin_run(struct session *s); // A and B are filled, C is poisoned; false: no run is left
void finish_run(struct session *s, struct times times); // verifies

// ---- report.c ---------------------------------------------------------------------------------
void report_problem(struct session *s); // what was measured

// ---- conclusion.c -----------------------------------------------------------------------------
void keep_ending(struct session *s); // in the record, from now on
int conclude(struct session *s);     // after the last problem: the exit status

#ifdef __cplusplus
}
#endif
#endif
