// SPDX-License-Identifier: MIT
// The speed of a kernel beside the reference. Calls of the two follow each other directly, in
// either order, on the same cores, and their ratio counts. Every C is verified. The record is
// gemm-pairs/1 of docs/records.md.
//
//     host                                     guest, in its sandbox
//     writes A, B and poison in C              is stopped
//     starts the clock, continues it, asks     C = A * B
//     waits                                    answers
//     stops all of its threads                 is stopped
//     stops the clock, verifies C              is stopped
//
// In the sandbox no process can be started, no timer set and no signal requested that would wake
// the guest: see filter.c.
#include "judge.h"
#include "session/clocks.h"
#include "diagnosis/diagnosis.h"
#include "guest/process.h"
#include "session/json.h"
#include "session/large.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { START_MS = 120000, SLICE_MS = 20, ENDING_MS = 2000, MEASURED = 21 };
enum { THROTTLED = BY_POWER_CAP | BY_HARDWARE | BY_WARMTH | BY_HEAT | BY_POWER_BRAKE };

struct call {
    const struct outcome *shape;
    const char *verdict;     // right, wrong, died, slow, skipped
    double ms, reference_ms; // 0: it was not timed
    bool waited;             // one of the two waited for a core
};

struct side { // the kernel or the reference
    struct process guest;
    struct problem problem;
    uint64_t secret;  // of the check
    bool has_problem; // in the guest
    struct spent spent;
    double usual;   // waiting time of an order that does nothing
    bool too_slow;  // it had no result in time
    char end[1200]; // how it ended
};

static struct {
    struct asked opt;
    struct side kernel, reference;
    struct call *calls;
    const struct call *at; // in which the kernel ended
    char reference_end[1300];
    int repeated; // pairs in which one of the two waited
    bool failed;  // a result of the kernel was wrong, explained by
    struct findings finding;
    double overhead_ms; // of a call that does nothing
    struct clocks gpu;  // behind the timed calls
    int gpu_calls, throttled;
} pairs;

// ---- one call ---------------------------------------------------------------------------------
static void lose(struct side *s, const char *why)
{
    struct process *g = &s->guest;
    if (why == NULL && await_end(g, ENDING_MS)) {
        end_in_words(g, s->end, sizeof s->end);
        return;
    }
    kill_process(g);
    snprintf(s->end, sizeof s->end, "%s", why != NULL ? why : "closed its socket");
}

static bool is_late(const struct side *s, struct spent before)
{
    const struct spent now = spent_since(s->guest.pid, pairs.opt.clock, before);
    return is_over(&s->guest, now.wall, now.processor, now.waited, pairs.opt.call_ms);
}

static void lose_by_answer(struct side *s, const struct answer *answer)
{
    char why[sizeof s->end];
    if (answer->kind == LEAVES)
        snprintf(why, sizeof why, "ended by itself: %s", answer->reason);
    else if (answer->kind == CRASHES)
        snprintf(why, sizeof why, "crashed with signal %d (%s)", answer->signal,
                 strsignal(answer->signal));
    else
        snprintf(why, sizeof why, "does not stop when it is told to");
    lose(s, why);
}

// Milliseconds by the clock that counts, until all of its threads have stopped; negative: it ended
// or took too long.
static double ask(struct side *s, struct order order)
{
    struct answer answer;
    struct process *g = &s->guest;
    if (g->child == 0)
        return -1;
    const struct spent before = spent_so_far(g->pid, pairs.opt.clock);
    thaw(g);
    send_order(g->socket, order, NULL);
    enum heard heard = NOTHING;
    while (heard == NOTHING && !is_late(s, before))
        heard = hear(g, &answer, SLICE_MS);
    if (heard == NOTHING) // it may have arrived while we had no core
        heard = hear(g, &answer, 0);
    if (heard == ANSWER && answer.kind == DONE && freeze(g)) {
        s->spent = spent_since(g->pid, pairs.opt.clock, before);
        s->spent.usual = s->usual;
        return pairs.opt.clock == PROCESSOR ? s->spent.processor : s->spent.wall;
    }
    s->too_slow = heard == NOTHING;
    if (heard == ANSWER)
        lose_by_answer(s, &answer);
    else
        lose(s, heard == NOTHING ? "no result in time: a loop that does not end?" : NULL);
    return -1;
}

static double call(struct side *s, int launches)
{
    return ask(s, (struct order){.kind = launches > 0 ? RUN : ECHO, .launches = launches});
}

// Each call continues and stops all threads of a guest: an OpenCL driver has two dozen, a kernel
// may have a pool. The minimum of a few calls that do nothing measures that. It is measured before
// A and B are written, because the guest could compute meanwhile.
static double usual_wait(struct side *s)
{
    double least = INFINITY;
    if (pairs.opt.clock != WALL)
        return 0;
    for (int again = 0; again < 3; again++) {
        if (call(s, 0) < 0)
            return 0;
        least = fmin(least, s->spent.waited);
    }
    return least;
}

static void open_problem(struct side *s, const struct outcome *shape)
{
    struct problem *p = &s->problem;
    if (p->M == shape->M && p->N == shape->N && p->K == shape->K)
        return;
    unmap_matrices(p);
    size_problem(p, pairs.opt.tile, shape->M, shape->N, shape->K);
    if (s->has_problem)
        send_order(s->guest.socket, (struct order){.kind = NO_MORE}, NULL);
    order_problem(&s->guest, p, !pairs.opt.is_copied);
    s->has_problem = true;
    call(s, 0); // it allocates memory before anything is timed
}

static void lay_out(struct side *s, const struct outcome *shape)
{
    struct problem *p = &s->problem;
    open_problem(s, shape);
    s->usual = usual_wait(s);
    fill_inputs(p, strcmp(shape->group, "integers") == 0 ? INTEGERS : UNIFORM, (uint32_t)draw());
    s->secret = draw() | 1;
    poison_output(p);
}

// On a device, the time of 2n launches less that of n leaves out the copies. n is large enough for
// the difference to exceed the variation of the copies.
static double time_call(struct side *s)
{
    const struct problem *p = &s->problem;
    if (!pairs.opt.is_copied)
        return call(s, 1);
    const double enough = 0x1p38 / ((double)p->M * p->N * p->K);
    const int launches = enough < 4 ? 4 : enough > 256 ? 256 : (int)enough;
    const double once = call(s, launches), twice = once < 0 ? -1 : call(s, 2 * launches);
    return twice < 0 ? -1 : (twice - once) / launches;
}

// The guests use the first GPU.
static void look_at_gpu(void)
{
    const struct clocks now = pairs.opt.gpu ? clocks_now(NULL) : (struct clocks){0};
    if (!now.whole)
        return;
    clocks_join(&pairs.gpu, now);
    pairs.gpu_calls++;
    pairs.throttled += (now.limits & THROTTLED) != 0;
}

// ---- a pair -----------------------------------------------------------------------------------
static bool is_right(const struct side *s, struct findings *f)
{
    const char *method;
    begin_findings(&s->problem, f);
    verification_secret = s->secret;
    return verify(&s->problem, JUDGED_PRODUCT, true, &f->found, &method);
}

static void settle(struct call *c)
{
    struct findings f;
    struct side *s = &pairs.kernel;
    c->verdict = "right";
    if (s->guest.child == 0) {
        c->verdict = s->too_slow ? "slow" : "died";
        pairs.at = c;
    } else if (!is_right(s, &f)) {
        c->verdict = "wrong";
        pairs.failed = true;
        diagnose(&s->problem, &f);
        pairs.finding = f;
    }
}

static void settle_reference(const struct call *c)
{
    struct findings f;
    char *end = pairs.reference_end;
    const struct side *s = &pairs.reference;
    if (s->guest.child == 0)
        snprintf(end, sizeof pairs.reference_end, "the reference %s", s->end);
    else if (!is_right(s, &f))
        snprintf(end, sizeof pairs.reference_end, "the reference is wrong at %d x %d x %d",
                 c->shape->M, c->shape->N, c->shape->K);
}

// False: timing has ended.
static bool judge_pair(struct call *c)
{
    struct side *k = &pairs.kernel, *r = &pairs.reference;
    const uint64_t order = draw();
    // The matrices that are written last are more likely to be in the caches.
    lay_out(order & 1 ? k : r, c->shape);
    lay_out(order & 1 ? r : k, c->shape);
    for (int turn = 0; turn < 2; turn++) {
        const bool is_kernel = (turn == 0) == ((order & 2) != 0);
        *(is_kernel ? &c->ms : &c->reference_ms) = time_call(is_kernel ? k : r);
        look_at_gpu();
    }
    c->waited = had_to_wait(&k->spent) || had_to_wait(&r->spent);
    settle(c);
    settle_reference(c);
    return pairs.reference_end[0] == '\0' && strcmp(c->verdict, "right") == 0;
}

// A pair that waited for a core is repeated, up to as many repetitions as there are pairs.
// Processor time contains no waiting.
static bool time_pair(struct call *c)
{
    while (judge_pair(c)) {
        if (!c->waited || pairs.opt.clock == PROCESSOR || pairs.repeated == pairs.opt.count)
            return true;
        pairs.repeated++;
    }
    return false;
}

static double used_ms(void)
{
    double sum = 0;
    for (int c = 0; c < pairs.opt.count; c++)
        sum += pairs.calls[c].ms;
    return sum;
}

static void time_all(void)
{
    for (int c = 0; c < pairs.opt.count; c++) {
        if (!time_pair(&pairs.calls[c]))
            return;
        if (pairs.opt.total_ms > 0 && used_ms() > pairs.opt.total_ms) {
            pairs.calls[c].verdict = "slow";
            pairs.at = &pairs.calls[c];
            snprintf(pairs.kernel.end, sizeof pairs.kernel.end,
                     "all calls together take more than %g s", pairs.opt.total_ms * 1e-3);
            return;
        }
    }
}

// ---- both guests ------------------------------------------------------------------------------
static bool start(struct side *s, char **command, FILE *log)
{
    struct answer answer;
    s->guest.log = log;
    s->guest.timed = true;
    start_process(&s->guest, command);
    const enum heard heard = hear(&s->guest, &answer, START_MS);
    if (heard == ANSWER && answer.kind == READY && freeze(&s->guest))
        return true;
    lose(s, heard == NOTHING  ? "was not ready in time"
            : heard == ANSWER ? "said something else before the first request"
                              : NULL);
    return false;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The cost of continuing, asking, answering and stopping: the median of calls that do nothing.
static void measure_overhead(void)
{
    double ms[MEASURED];
    open_problem(&pairs.kernel, &(struct outcome){.M = 1, .N = 1, .K = 1});
    for (int m = 0; m < MEASURED; m++)
        if ((ms[m] = call(&pairs.kernel, 0)) < 0)
            return;
    qsort(ms, MEASURED, sizeof ms[0], by_size);
    pairs.overhead_ms = ms[MEASURED / 2];
}

// ---- the record -------------------------------------------------------------------------------
static void put_call(FILE *out, const struct call *c)
{
    const struct outcome *s = c->shape;
    fprintf(out, "{\"M\": %d, \"N\": %d, \"K\": %d, \"data\": \"%s\", \"verdict\": \"%s\"", s->M,
            s->N, s->K, s->group, c->verdict);
    fputs(", \"ms\": ", out);
    put_number(out, c->ms, c->ms > 0);
    fputs(", \"reference_ms\": ", out);
    put_number(out, c->reference_ms, c->reference_ms > 0);
    fprintf(out, ", \"waited\": %s}", c->waited ? "true" : "false");
}

static void put_gpu(FILE *out)
{
    const struct clocks *c = &pairs.gpu;
    if (pairs.gpu_calls == 0) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"mhz\": [%u, %u], \"most_mhz\": %u, \"celsius\": [%u, %u]", c->low, c->high,
            c->most, c->cool, c->hot);
    fprintf(out, ", \"calls\": %d, \"throttled\": %d, \"reasons\": [", pairs.gpu_calls,
            pairs.throttled);
    for (int n = 0; clocks_limit(*c, n) != NULL; n++)
        fprintf(out, "%s\"%s\"", n > 0 ? ", " : "", clocks_limit(*c, n));
    fputs("]}", out);
}

static void put_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, ",\n \"%s\": ", name);
    put_string(out, text[0] != '\0' ? text : NULL);
}

static void put_record(FILE *out)
{
    fputs("{\"schema\": \"gemm-pairs/1\",\n \"overhead_ms\": ", out);
    put_number(out, pairs.overhead_ms, pairs.overhead_ms > 0);
    put_text(out, "clock", pairs.opt.clock == PROCESSOR ? "processor" : "wall");
    put_text(out, "reference_end", pairs.reference_end);
    put_text(out, "end", pairs.kernel.end);
    fputs(",\n \"at\": ", out);
    if (pairs.at != NULL)
        put_call(out, pairs.at);
    else
        fputs("null", out);
    fputs(",\n \"gpu\": ", out);
    put_gpu(out);
    fputs(",\n \"finding\": ", out);
    if (pairs.failed)
        put_finding(out, &pairs.finding, likely_cause(&pairs.finding, NULL, 0));
    else
        fputs("null", out);
    fputs(",\n \"calls\": [", out);
    for (int c = 0; c < pairs.opt.count; c++) {
        fputs(c > 0 ? ",\n  " : "\n  ", out);
        put_call(out, &pairs.calls[c]);
    }
    fputs("]}\n", out);
}

static void write_record(void)
{
    FILE *out = fopen(pairs.opt.record, "w");
    bool written = out != NULL;
    if (written) {
        put_record(out);
        written = !ferror(out);
        written = fclose(out) == 0 && written;
    }
    if (!written)
        exit_with(EXIT_USAGE, "cannot write %s: %s", pairs.opt.record, strerror(errno));
}

int main(int count, char **words)
{
    FILE *log = NULL;
    (void)count;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // end with our parent, and the sandboxes with us
    pairs.opt = read_options(words + 1);
    const struct asked *opt = &pairs.opt;
    if (opt->reference == NULL)
        exit_with(EXIT_USAGE, "there is no reference, behind ::");
    if (opt->log != NULL && (log = fopen(opt->log, "w")) == NULL)
        exit_with(EXIT_USAGE, "cannot write %s: %s", opt->log, strerror(errno));
    pairs.calls = scratch((size_t)opt->count, sizeof *pairs.calls);
    for (int c = 0; c < opt->count; c++)
        pairs.calls[c] = (struct call){.shape = &opt->shapes[c], .verdict = "skipped"};
    if (opt->gpu)
        (void)clocks_now(NULL); // the first query takes longer
    enter_cores(opt->cores);
    const bool ours = start(&pairs.reference, opt->reference, NULL),
               theirs = start(&pairs.kernel, opt->command, log);
    leave_cores();
    if (!ours)
        snprintf(pairs.reference_end, sizeof pairs.reference_end, "the reference %s",
                 pairs.reference.end);
    if (theirs)
        measure_overhead();
    if (ours && theirs)
        time_all();
    kill_process(&pairs.kernel.guest);
    kill_process(&pairs.reference.guest);
    write_record();
    return EXIT_SUCCESS;
}
