// SPDX-License-Identifier: MIT
// The judge: it owns the inputs, the clock and the verdict. A kernel runs in a worker, another
// process, which is stopped whenever the judge does not wait for it.
//
//     judge.c     each call, and its verdict          plan.c      which calls, in which order
//     worker.c    starts, stops and asks a worker     inputs.c    what A and B hold
//     spent.c     what a call took, on which cores    options.c   the command line
//     record.c    what came of it, as JSON
//
// A worker is a guest of common/guest/: the lab's own program, or one of opencl.c, cuda_device.c.
// Of common/ the judge uses what is known to be right of C: fill.c, verify.c, tolerance.c and
// freivalds.c. To explain what is wrong: diagnosis/. For the clock of a GPU: clocks.c.
#ifndef JUDGE_H
#define JUDGE_H

#include "cuda/clocks.h"
#include "diagnosis/diagnosis.h"
#include "guest/guest.h"
#include "session/growth.h"
#include "verify.h"

#include <sys/types.h>

// What the tests switch off, one at a time, to see that it is needed. Nobody else does.
enum defence {
    FRESH = 1,      // every call has other inputs
    EVERY = 2,      // every C is verified, not the first of a shape alone
    SECRET = 4,     // the vector and the rows of the check are known to the judge alone
    WHOLE = 8,      // some inputs are whole numbers, which narrow arithmetic cannot add up
    FRACTIONS = 16, // some are not, which integer arithmetic cannot
    READONLY = 32,  // a worker cannot write to its inputs
    FREEZE = 64,    // it is stopped before the clock starts and before C is read
    EDGES = 128,    // there is no memory where A, B or C ends, or none where they begin
};

enum { SEED_BYTES = 32 };

// ---- inputs.c -----------------------------------------------------------------------------------
// Everything random comes from one seed: who has it can repeat what was judged; who has not, as a
// worker, cannot tell what comes next from what came before (ChaCha20, of libsodium).
void seed_random(const unsigned char seed[SEED_BYTES]);
uint64_t draw(uint64_t below);                          // 0..below-1
void fill_random(struct problem *p, enum data_set set); // A, B, their guards and p->secret

// ---- plan.c -------------------------------------------------------------------------------------
struct call {
    int M, N, K;
    const char *group; // what kind of shape
    bool timed;        // beside the reference
    enum data_set set;
    // What came of it.
    const char *verdict; // right, wrong, died, slow, skipped
    const char *method;
    double ms, reference_ms; // of timed ones
    bool waited;             // one of the two had to, for a core
};
struct plan {
    struct call *calls;
    int count;
};
// Draws the shapes near `size` that are timed. A kernel in C may have arrays of a fixed size.
void plan_for(int size, bool in_c);
// Correctness: each kind of shape around this tile, and those.
struct plan plan_shapes(struct tile tile, unsigned without);
// Speed: rounds of those, and some others in between.
struct plan plan_rounds(struct tile tile, int rounds, unsigned without);
// For a tool, under which a call takes seconds: those that are said, "3,1,5 34,35,17", or a little
// more each where they are not to be exact and not 1,1,1. What is said twice in a row is the same
// shape twice.
struct plan plan_few(const char *shapes, bool exact);
// One of each kind of shape.
struct plan plan_anew(struct tile tile);
void plan_shuffle(struct plan *plan);
// Then those of one shape directly behind each other, and first those whose data lie in the same
// place: whatever a kernel keeps of the call before is out of date.
void plan_neighbours(struct plan *plan);

// ---- spent.c ------------------------------------------------------------------------------------
enum clock { WALL, PROCESSOR };
struct spent {
    double wall, processor, waited; // milliseconds
    double usual;                   // waited, by a call that does nothing
};
struct worker;
// The workers get so many of those allowed, the judge the others, if there are any; 0: all have
// all.
void share_cores(int count);
void enter_shared_cores(void);  // in the process that becomes a worker
double processor_ms(pid_t pid); // of all threads of a process, since it began; 0: it is no more
struct spent spent_so_far(const struct worker *w);
struct spent spent_since(const struct worker *w, struct spent before);
bool had_to_wait(const struct spent *spent); // so long that the call does not count

// ---- worker.c -----------------------------------------------------------------------------------
// Of the GPU, right behind each timed call.
enum { THROTTLED = BY_POWER_CAP | BY_HARDWARE | BY_WARMTH | BY_HEAT | BY_POWER_BRAKE };
struct gpu {
    struct clocks clocks;
    int calls, throttled;
};
struct worker {
    char **command;
    bool in_place;      // its kernel computes with A, B and C as they lie in the judge's memory
    unsigned without;   // these defences
    int limit_ms;       // of the processor, for a call
    long most_memory;   // bytes that it may have, beside its limit of address space; 0: no matter
    enum clock clock;   // that counts
    bool timed;         // its wall clock may count: nobody else gets its core meanwhile
    struct spent spent; // in the last call
    struct gpu *gpu;    // to be looked at behind a call, or NULL
    FILE *log;          // what it prints goes here, the first 64 KiB of it
    long logged;
    pid_t child, pid; // what was started, the sandbox; and the guest in it
    int pidfd, control, output;
    enum edge edge;
    struct problem problem; // its matrices lie in memory that both have
    bool has_problem;       // the guest
    real *inputs[2];        // unless in_place: A and B as the guest got them
    size_t kept;            // bytes of its kernel, where a sanitizer counts them
    double usual;           // waited, by an order that does nothing
    char end[96];           // how it ended, once it has
    bool was_refused;       // memory, and the log says so
    bool too_slow;          // it did for want of a result, or its first word, in time
    bool trespassed;        // it did as it touched memory where there is none
    double used_ms;         // of all calls
};
// A new problem, whose matrices lie in this place. The guest has it, too, if it lives.
void worker_shape(struct worker *w, int M, int N, int K, enum edge edge);
bool worker_start(struct worker *w); // false: it did not come to its first word; w->end says why
// For good. `by_itself`: it comes to its end, where a tool says the last of what it found.
void worker_dismiss(struct worker *w, bool by_itself);
// One call, of so many launches, on the problem as it lies in memory; 0: of none, to see what that
// takes. Milliseconds by its clock, until none of its threads runs any more; negative: it died, or
// took too long.
double worker_call(struct worker *w, int launches);
bool worker_lives(const struct worker *w);

// ---- options.c ----------------------------------------------------------------------------------
struct asked {
    const char *plan; // shapes, speed, few, counted or anew
    const char *few;  // the shapes of few and counted
    unsigned char seed[SEED_BYTES], class_seed[SEED_BYTES];
    struct tile tile;
    int size, rounds, limit_ms, total_ms, most_mib, cores;
    bool in_place, gpu, in_c;
    enum clock clock;
    unsigned without;
    const char *record, *log;
    char **worker, **reference; // commands; reference: NULL if there is none
};
struct asked read_options(char **words); // those after the program's name; exit 2 for a mistake

// ---- judge.c ------------------------------------------------------------------------------------
struct session {
    struct asked opt;
    struct plan plan;
    struct worker worker, reference;
    char reference_end[128]; // why nothing can be timed beside it any more
    int deaths, endless;     // calls in which it ended, and those of them that did not end in time
    struct gpu gpu;
    bool not_started;        // once, whatever of it or its sandbox was to blame
    int repeated;            // pairs of calls, as one of them had to wait
    bool failed;             // one of its calls was wrong; the most telling is explained by
    struct findings finding; // these
    char end[96];            // how it ended for the first time that it did
    const struct call *at;   // in which call
    char outside[160];       // what it touched outside A, B and C; "": nothing
    struct growth growth;    // of what its kernel keeps, under a tool that counts
    double overhead_ms;      // of a call that does nothing
};

// ---- record.c -----------------------------------------------------------------------------------
void write_record(const struct session *s); // gemm-judge/1 to s->opt.record; exit 2 where it cannot

#ifdef __GNUC__
__attribute__((noreturn, format(printf, 1, 2)))
#endif
void give_up(const char *format, ...); // "judge: ...", exit 2
#endif
