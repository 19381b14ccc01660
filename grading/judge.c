// SPDX-License-Identifier: MIT
// [GEMM_SEED=HEX GEMM_CLASS_SEED=HEX] judge [OPTION ...] WORKER [WORD ...] [:: REFERENCE [WORD
// ...]] Asks a worker for one product after the other, looks at each, and writes what it saw:
// gemm-judge/1 of docs/records.md. With a reference, the timed calls go to both, interleaved.
#include "judge.h"

#include <errno.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

// M * N * K of problems of which every element is seen.
static const double small = 128.0 * 128.0 * 128.0;
enum { RESTARTS = 8, ENDLESS_KINDS = 2, MEASURED = 21 };

// ---- one call ----------------------------------------------------------------------------------
static bool died(struct session *s, struct call *call)
{
    struct worker *w = &s->worker;
    if (worker_lives(w))
        return false;
    call->verdict = w->too_slow ? "slow" : "died";
    if (s->end[0] == '\0') {
        memcpy(s->end, w->end, sizeof s->end);
        s->at = call;
    }
    s->deaths++;
    s->endless += w->too_slow;
    return true;
}

// A class does not wait any longer for a kernel that did not end with two kinds of shape.
static bool is_endless(const struct session *s)
{
    return s->endless >= ENDLESS_KINDS;
}

// Of A and B, which the host program of a device writes to: it copies them back.
static void keep_inputs(struct worker *w)
{
    const struct matrix *all[] = {&w->problem.A, &w->problem.B};
    for (int m = 0; m < 2; m++) {
        free(w->inputs[m]);
        w->inputs[m] = scratch(all[m]->bytes, 1);
        memcpy(w->inputs[m], all[m]->block, all[m]->bytes);
    }
}

// Elements of A or B that are other than the guest got them.
static long changed(const struct matrix *m, const real *before, long *where)
{
    const real *kept = before + GUARD_BYTES / sizeof(real);
    long changes = 0;
    for (size_t e = 0; e < elements_of(m); e++)
        if (memcmp(&m->data[e], &kept[e], sizeof(real)) != 0 && changes++ == 0)
            *where = (long)e;
    return changes;
}

// Is C right, and is nothing else written to?
static bool look(struct worker *w, struct call *call, struct findings *f)
{
    struct problem *p = &w->problem;
    const struct matrix *inputs[] = {&p->A, &p->B};
    begin_findings(p, f);
    if (w->without & SECRET)
        p->secret = 0;
    bool right = guards_hold(p, f);
    for (int m = 0; m < 2 && !w->in_place; m++) {
        f->input_changes[m] = changed(inputs[m], w->inputs[m], &f->input_at[m]);
        right = right && f->input_changes[m] == 0;
    }
    call->method = "inputs only";
    if (f->input_changes[0] + f->input_changes[1] > 0) // no product of other matrices is asked for
        return false;
    return verify_product(p, small, true, f, &call->method) && right;
}

// The same inputs again, and then with one thing changed at a time: what changes C then is
// evidence.
static void try_again(struct session *s)
{
    struct worker *w = &s->worker;
    struct problem *p = &w->problem;
    size_t count = (size_t)p->M * (size_t)p->N;
    real *failed = scratch(count, sizeof *failed);
    memcpy(failed, p->C.data, count * sizeof *failed);
    for (enum trial trial = AGAIN; trial < TRIALS; trial++) {
        guard_inputs(p);
        poison_output(p);
        prepare_trial(p, trial);
        if (worker_call(w, 1) < 0)
            break;
        compare_trial(&s->finding, trial, p, failed);
    }
    struct problem wrong = *p;
    wrong.C.data = failed;
    diagnose(&wrong, &s->finding);
    free(failed);
}

static bool seen_before(const struct session *s, const struct call *call)
{
    for (const struct call *c = s->plan.calls; c < call; c++)
        if (c->M == call->M && c->N == call->N && c->K == call->K)
            return true;
    return false;
}

static void lay_out(struct session *s, struct worker *w, const struct call *call)
{
    bool same = (s->opt.without & FRESH) != 0;
    enum edge edge = s->outside[0] != '\0'   ? WITH_ROOM
                     : call->timed           ? WITH_ROOM
                     : call->set == INTEGERS ? AT_END
                                             : AT_BEGINNING;
    worker_shape(w, call->M, call->N, call->K, edge);
    if (same) // these inputs depend on the shape alone
        seed_random(s->opt.class_seed);
    fill_random(&w->problem, call->set);
    poison_output(&w->problem);
    if (!w->in_place)
        keep_inputs(w);
}

static double put_to(struct session *s, struct worker *w, const struct call *call)
{
    lay_out(s, w, call);
    return worker_call(w, 1);
}

// Of a device without its copies: twice as many launches take so much longer. They are so many that
// this is more than the times of copies differ by.
static double time_call(struct worker *w)
{
    const struct problem *p = &w->problem;
    if (w->in_place)
        return worker_call(w, 1);
    const double enough = 0x1p38 / ((double)p->M * p->N * p->K);
    const int launches = enough < 4 ? 4 : enough > 256 ? 256 : (int)enough;
    const double once = worker_call(w, launches);
    const double twice = once < 0 ? -1 : worker_call(w, 2 * launches);
    return twice < 0 ? -1 : (twice - once) / launches;
}

static bool ready(struct session *s)
{
    struct worker *w = &s->worker;
    if (worker_lives(w))
        return true;
    if (s->deaths > RESTARTS)
        return false;
    if (worker_start(w))
        return true;
    if (s->end[0] == '\0')
        memcpy(s->end, w->end, sizeof s->end);
    s->deaths = RESTARTS + 1;
    s->not_started = true;
    return false;
}

// Did it crash where there is nothing beside A, B and C? Once more then, and from now on, with room
// around them. Who is right with it reads outside, which has its price, and is right.
static bool was_given_room(struct session *s, struct call *call)
{
    struct worker *w = &s->worker;
    if (worker_lives(w) || !w->trespassed || !w->in_place || s->outside[0] != '\0')
        return false;
    snprintf(s->outside, sizeof s->outside, "%s, at %d x %d x %d", w->end, call->M, call->N,
             call->K);
    if (ready(s))
        call->ms = put_to(s, w, call);
    if (!worker_lives(w)) // that was not the reason
        s->outside[0] = '\0';
    return true;
}

// What came of it.
static void settle(struct session *s, struct call *call)
{
    struct worker *w = &s->worker;
    struct findings f;
    if (died(s, call))
        return;
    bool unseen = (s->opt.without & EVERY) && seen_before(s, call);
    bool right = unseen || look(w, call, &f);
    call->verdict = right ? "right" : "wrong";
    if (!right && !s->failed) {
        s->failed = true;
        diagnose(&w->problem, &f);
        s->finding = f;
    }
}

// Of those that were wrong the one that explains most: small, but more than an edge of a tile, and
// of more than one tile along k; a single row, a column, an element at last.
static const struct call *most_telling(const struct session *s)
{
    const struct call *best = NULL;
    double least = 0;
    for (const struct call *c = s->plan.calls; c < s->plan.calls + s->plan.count; c++) {
        bool thin = c->M < 21 || c->N < 21 || c->K < 21 || c->K <= s->opt.tile.k;
        int ones = (c->M == 1) + (c->N == 1) + (c->K == 1);
        double work = (double)c->M * c->N * c->K + 1e12 * (thin + ones);
        if (strcmp(c->verdict, "wrong") == 0 && (best == NULL || work < least)) {
            best = c;
            least = work;
        }
    }
    return best;
}

static real *copy_of(const struct matrix *m)
{
    size_t count = (size_t)m->rows * (size_t)m->cols;
    real *copy = scratch(count, sizeof *copy);
    memcpy(copy, m->data, count * sizeof *copy);
    return copy;
}

// In a new process, is its first call of that shape right, and wrong the next, with other inputs?
// It may have kept something of the first ones. A process under a tool begins but once.
static void find_kept(struct session *s, const struct call *telling)
{
    struct worker *w = &s->worker;
    struct call again = *telling;
    struct findings f;
    if (s->opt.few[0] != '\0')
        return;
    worker_dismiss(w, false);
    if (!worker_start(w) || put_to(s, w, &again) < 0 || !look(w, &again, &f))
        return;
    real *former_a = copy_of(&w->problem.A), *former_b = copy_of(&w->problem.B);
    if (put_to(s, w, &again) >= 0 && !look(w, &again, &f)) {
        compare_kept(&f, &w->problem, former_a, former_b);
        if (f.kept != 0) {
            diagnose(&w->problem, &f);
            s->finding = f;
        }
    }
    free(former_a);
    free(former_b);
}

// Its shape once more, where it is wrong again; nothing that happens here counts.
static void explain_failure(struct session *s)
{
    const struct call *telling = most_telling(s);
    struct call again;
    struct findings f;
    if (telling == NULL || !ready(s))
        return;
    again = *telling;
    if (put_to(s, &s->worker, &again) >= 0 && !look(&s->worker, &again, &f)) {
        s->finding = f;
        try_again(s);
    }
    find_kept(s, telling);
}

// Have all calls together had the processor for too long?
static bool is_over(const struct session *s)
{
    return s->worker.used_ms > s->opt.total_ms;
}

// Once more, until it is known whether what the kernel keeps grows with each call.
static void watch_growth(struct session *s, const struct call *call)
{
    struct worker *w = &s->worker;
    const double products = (double)call->M * call->N * call->K;
    s->growth.calls = 0;
    for (int calls = GROWTH_FIRST; w->kept > 0 && s->growth.grown == 0 && !is_over(s);) {
        calls += growth_behind(&s->growth, w->kept, products) - 1;
        if (calls == 0 || worker_call(w, 1) < 0)
            return;
    }
}

static void judge_call(struct session *s, struct call *call)
{
    call->ms = put_to(s, &s->worker, call);
    was_given_room(s, call);
    settle(s, call);
    if (s->opt.in_c && s->opt.few[0] != '\0' && strcmp(call->verdict, "right") == 0)
        watch_growth(s, call);
}

static void settle_reference(struct session *s, struct call *call)
{
    struct findings f;
    const char *method = call->method;
    if (!worker_lives(&s->reference))
        snprintf(s->reference_end, sizeof s->reference_end, "the reference %s", s->reference.end);
    else if (!look(&s->reference, call, &f))
        snprintf(s->reference_end, sizeof s->reference_end,
                 "the reference is wrong at %d x %d x %d", call->M, call->N, call->K);
    call->method = method;
}

// One directly behind the other, in either order. False: there is nothing to be timed any more, as
// the kernel was right before and is not now, or as the reference is not.
static bool judge_pair(struct session *s, struct call *call)
{
    bool second = draw(2) == 0, last = draw(2) == 0;
    // Whose matrices are written last has more of them in the caches.
    lay_out(s, last ? &s->reference : &s->worker, call);
    lay_out(s, last ? &s->worker : &s->reference, call);
    s->worker.gpu = s->reference.gpu = s->opt.gpu ? &s->gpu : NULL;
    if (second)
        call->reference_ms = time_call(&s->reference);
    call->ms = time_call(&s->worker);
    if (!second)
        call->reference_ms = time_call(&s->reference);
    if (was_given_room(s, call))
        call->reference_ms = put_to(s, &s->reference, call);
    s->worker.gpu = s->reference.gpu = NULL;
    call->waited = had_to_wait(&s->worker.spent) || had_to_wait(&s->reference.spent);
    settle(s, call);
    settle_reference(s, call);
    return s->reference_end[0] == '\0' && strcmp(call->verdict, "right") == 0;
}

// One that had to wait is repeated, as long as not all of them are there twice. In the time of a
// processor there is no waiting.
static bool time_pair(struct session *s, struct call *call)
{
    while (judge_pair(s, call)) {
        if (!call->waited || s->opt.clock == PROCESSOR || s->repeated == s->plan.count)
            return true;
        s->repeated++;
    }
    return false;
}

// ---- all calls ---------------------------------------------------------------------------------
// Of a kind of shape with which it crashed, or does not end, no other is tried.
static bool hopeless(const struct session *s, const struct call *call)
{
    for (const struct call *c = s->plan.calls; c < call; c++)
        if (c->group == call->group &&
            (strcmp(c->verdict, "died") == 0 || strcmp(c->verdict, "slow") == 0))
            return true;
    return false;
}

static bool is_late(struct session *s, struct call *call)
{
    if (!is_over(s))
        return false;
    call->verdict = "slow";
    if (s->end[0] == '\0') {
        snprintf(s->end, sizeof s->end, "all calls together take more than %g s",
                 s->opt.total_ms / 1e3);
        s->at = call;
    }
    return true;
}

static void judge_all(struct session *s)
{
    for (int c = 0; c < s->plan.count && !is_endless(s); c++) {
        struct call *call = &s->plan.calls[c];
        if (hopeless(s, call))
            continue;
        if (!ready(s)) {
            if (s->worker.too_slow) // and no tool is asked, under which it is slower still
                call->verdict = "slow";
            return;
        }
        if (is_late(s, call))
            return;
        if (s->opt.reference != NULL && call->timed) {
            if (!time_pair(s, call))
                return;
            continue;
        }
        judge_call(s, call);
        // What is wrong now and was right before is not timed any further.
        if (s->opt.reference != NULL && strcmp(call->verdict, "right") != 0)
            return;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// What letting go, asking, answering and stopping cost: of calls that do nothing, the median.
static void measure_overhead(struct session *s)
{
    double ms[MEASURED];
    if (!ready(s))
        return;
    worker_shape(&s->worker, 1, 1, 1, WITH_ROOM);
    for (int m = 0; m < MEASURED; m++)
        if ((ms[m] = worker_call(&s->worker, 0)) < 0)
            return;
    qsort(ms, MEASURED, sizeof ms[0], by_size);
    s->overhead_ms = ms[MEASURED / 2];
}

// The shapes are those of the class, so that the same kernel earns the same; their order and what
// the matrices hold is its own.
static struct plan make_plan(const struct asked *opt)
{
    struct plan plan;
    seed_random(opt->class_seed);
    plan_for(opt->size, opt->in_c);
    if (strcmp(opt->plan, "shapes") == 0)
        plan = plan_shapes(opt->tile, opt->without);
    else if (strcmp(opt->plan, "speed") == 0)
        plan = plan_rounds(opt->tile, opt->rounds, opt->without);
    else if (strcmp(opt->plan, "few") == 0)
        plan = plan_few(opt->few, false);
    else if (strcmp(opt->plan, "counted") == 0)
        plan = plan_few(opt->few, true);
    else if (strcmp(opt->plan, "anew") == 0)
        plan = plan_anew(opt->tile);
    else
        give_up("--plan is shapes, speed, few, counted or anew, not '%s'", opt->plan);
    seed_random(opt->seed);
    if (opt->few[0] == '\0') // which grow and shrink as they come
        plan_shuffle(&plan);
    if (strcmp(opt->plan, "shapes") == 0)
        plan_neighbours(&plan);
    return plan;
}

static struct worker worker_of(const struct session *s, char **command)
{
    struct worker w = {.command = command, .in_place = s->opt.in_place, .without = s->opt.without};
    w.limit_ms = s->opt.limit_ms;
    w.clock = s->opt.clock;
    w.timed = s->opt.reference != NULL;
    w.most_memory = (long)s->opt.most_mib << 20;
    w.problem.tile = s->opt.tile;
    return w;
}

int main(int count, char **words)
{
    static struct session s; // static, because it is large
    (void)count;
    // Whoever wants to know is gone: the judge goes, too, and its sandbox with it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (sodium_init() < 0)
        give_up("no randomness");
    s.opt = read_options(words + 1);
    s.plan = make_plan(&s.opt);
    share_cores(s.opt.cores);
    if (s.opt.gpu)
        (void)clocks_now(NULL); // the first look takes longer, and is not to be between two calls
    s.worker = worker_of(&s, s.opt.worker);
    if (s.opt.log != NULL && (s.worker.log = fopen(s.opt.log, "w")) == NULL)
        give_up("cannot write %s: %s", s.opt.log, strerror(errno));
    if (s.opt.reference != NULL) {
        s.reference = worker_of(&s, s.opt.reference);
        if (!worker_start(&s.reference))
            snprintf(s.reference_end, sizeof s.reference_end, "the reference %s", s.reference.end);
    }
    measure_overhead(&s);
    if (s.reference_end[0] == '\0')
        judge_all(&s);
    if (s.failed && !is_endless(&s))
        explain_failure(&s);
    worker_dismiss(&s.worker, s.opt.few[0] != '\0');
    worker_dismiss(&s.reference, false);
    if (s.worker.log != NULL) {
        bool torn = ferror(s.worker.log) != 0; // what a tool found would be missing
        if (fclose(s.worker.log) != 0 || torn)
            give_up("cannot write %s", s.opt.log);
    }
    write_record(&s);
    return 0;
}
