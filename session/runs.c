// SPDX-License-Identifier: MIT
// The problems, the runs of each, and the result of a run. calls.c passes main's calls on to here.
#include "guest/guest.h"
#include "diagnosis/diagnosis.h"
#include "diagnosis/failure.h"
#include "session/large.h"
#include "session/record.h"
#include "session/session.h"

#include <string.h>

enum { ENDLESS_KINDS = 2 };

// ---- problems ---------------------------------------------------------------------------------
// Before the one that was asked for. Whoever chose three sizes, or a very small one, looks at just
// these.
static bool next_rehearsal(struct session *s, struct outcome *shape)
{
    const int M = s->opt.M, size = size_to_announce(s);
    const bool odd = s->opt.rehearse && M == s->opt.N && M == s->opt.K && M > 16;
    if (odd && rehearsal_shape(s->lab->tile, s->rehearsals, shape)) {
        s->rehearsals++;
        return true;
    }
    if (size == 0 || s->sized)
        return false;
    shape->M = shape->N = shape->K = size;
    return s->sized = true;
}

// A kind of shape with which it crashed, or did not end, is not tried again.
static bool is_hopeless(const struct session *s, const char *group)
{
    for (int o = 0; o < s->shapes; o++)
        if (has_no_result(&s->outcomes[o]) && strcmp(s->outcomes[o].group, group) == 0)
            return true;
    return false;
}

// A class does not wait for a kernel that did not end with two kinds of shape.
static bool is_endless(const struct session *s)
{
    int limits = 0;
    for (int o = 0; o < s->shapes; o++)
        limits += s->outcomes[o].verdict != NULL && strcmp(s->outcomes[o].verdict, "limit") == 0;
    return limits >= ENDLESS_KINDS;
}

// The number of the next shape to try; -1: there is none.
static int find_shape(const struct session *s, struct outcome *shape)
{
    const struct judged *j = s->judged;
    for (int at = s->tried;; at++) {
        if (s->stopped || is_endless(s) ||
            (j != NULL ? at == j->count : !battery_shape(s->lab->tile, at, shape)))
            return -1;
        if (j != NULL)
            *shape = j->shapes[at];
        if (!is_hopeless(s, shape->group))
            return at;
    }
}

// A tool has reported its finding, and would report it again.
bool has_more_shapes(const struct session *s)
{
    struct outcome shape;
    const bool has_tool = GUARD_BYTES == 0 || s->opt.once;
    return s->opt.check && !has_tool && find_shape(s, &shape) >= 0;
}

void take_again(struct session *s)
{
    s->has_room = true;
    s->shapes--;
    s->tried--;
}

static bool next_in_battery(struct session *s, struct outcome *shape)
{
    const int at = find_shape(s, shape);
    s->tried = at + 1;
    return at >= 0;
}

static bool next_shape(struct session *s, struct outcome *shape)
{
    const bool another = s->opt.once && s->shapes < s->opt.problems;
    if (another) {
        const int *sizes = &s->opt.sizes[3 * s->shapes];
        s->opt.M = sizes[0];
        s->opt.N = sizes[1];
        s->opt.K = sizes[2];
    }
    *shape = (struct outcome){.M = s->opt.M, .N = s->opt.N, .K = s->opt.K};
    shape->group = shape->method = "";
    if (s->stopped)
        return false;
    if (s->opt.check)
        return next_in_battery(s, shape);
    if (s->opt.once)
        return another;
    if (s->failed || s->asked_for)
        return false;
    s->rehearsal = next_rehearsal(s, shape);
    s->asked_for = !s->rehearsal;
    return true;
}

// Of the problem, on one machine: ranks have their parts of it, too.
static double copies(const struct session *s)
{
    return s->ranks.count == 0 ? 1 : 1 + 1.0 / s->ranks.nodes;
}

bool begin_problem(struct session *s)
{
    struct outcome shape;
    problem_free(&s->lab->problem);
    if (!next_shape(s, &shape))
        return false;
    int index = is_timed(s) ? 0 : s->shapes; // the rehearsal's place is taken by the problem
    s->outcomes[index] = shape;
    s->shapes = index + 1;
    if (s->opt.check) { // if the kernel crashes, the last line names the shape
        printf("check %2d  %d x %d x %d%s", s->shapes, shape.M, shape.N, shape.K,
               on_terminal(s) ? "\033[K\r" : "\n");
        fflush(stdout);
    }
    write_record(s, "incomplete", NULL);
    if (!s->opt.check) // before the rehearsal
        require_size(s->lab->tile, s->opt.M, s->opt.N, s->opt.K, copies(s));
    if (s->is_alone)
        problem_create(&s->lab->problem, s->lab->tile, shape.M, shape.N, shape.K);
    else // where the other process sees it, too
        size_problem(&s->lab->problem, s->lab->tile, shape.M, shape.N, shape.K);
    bool no_warmup = s->opt.no_warmup && !s->opt.check && !s->rehearsal;
    s->lab->run = no_warmup ? 2 : 0;
    s->lab->launches = 1;
    s->lab->is_timed = is_timed(s) && !s->rehearsal;
    // In the third run unmapped memory follows the matrices of a CPU lab.
    const int runs = s->judged != NULL ? s->judged->runs[s->tried - 1]
                     : s->opt.once     ? 1
                     : is_emulated(s)  ? 2
                                       : 3;
    s->runs = no_warmup ? 2 + repetitions(s, 0) : s->sized && s->rehearsal ? 2 : runs;
    return true;
}

// ---- runs -------------------------------------------------------------------------------------
// In the battery, and in a rehearsal, unmapped memory precedes the matrices in the second run of a
// shape, and nothing behind them in the third one. What a mask leaves out, SIMDe may read.
static enum edge edge_of_run(const struct session *s)
{
    if (!is_in_place(s) || s->is_alone || s->has_room || !(s->opt.check || s->rehearsal) ||
        config.uses_simde || s->trial != AS_IT_WAS)
        return WITH_ROOM;
    const int first = s->judged != NULL ? 0 : 1;
    return s->lab->run == first ? AT_BEGINNING : s->lab->run == first + 1 ? AT_END : WITH_ROOM;
}

// A trial has the inputs of the wrong run. In ./gemm they follow from --seed.
static void fill(struct session *s)
{
    struct problem *p = &s->lab->problem;
    uint32_t seed = s->opt.seed + (uint32_t)s->lab->run;
    if (s->trial != AS_IT_WAS)
        seed = p->seed;
    else {
        s->seed_before = p->seed;
        seed = s->judged != NULL ? (uint32_t)s->judged->draw() : seed;
        verification_secret = s->judged != NULL ? s->judged->draw() | 1 : 0;
    }
    fill_inputs(p, s->lab->run == 0 ? INTEGERS : UNIFORM, seed);
}

bool begin_run(struct session *s)
{
    if (s->lab->run == s->runs && s->lab->launches == 1)
        s->lab->launches = steady_launches(s);
    if (s->lab->run == s->runs && s->lab->launches == 0)
        return false;
    s->watched_from = 0;
    s->edge = edge_of_run(s);
    s->trapped = s->trapped || s->edge != WITH_ROOM;
    if (!s->is_alone)
        place_matrices(&s->lab->problem, s->edge);
    fill(s);
    poison_output(&s->lab->problem);
    prepare_trial(&s->lab->problem, s->trial);
    return true;
}

// Runs 0 and 1 are for verification, and warm up; the others are timed, and the last of them is
// verified in the same way.
static void end_right_run(struct session *s, struct times times)
{
    if (s->lab->launches > 1) {
        end_steady_run(s, times.kernel);
        return;
    }
    if (s->lab->run == 1 && !s->opt.check && !s->rehearsal)
        s->runs = 2 + repetitions(s, times.kernel);
    if (s->lab->run >= 2)
        s->times[s->lab->run - 2] = times;
    announce(s, times.kernel);
    s->lab->run++;
    struct outcome *outcome = &s->outcomes[s->shapes - 1];
    outcome->right = s->lab->run == s->runs;
    outcome->verdict = outcome->right ? "pass" : NULL;
    outcome->method = s->method;
}

void finish_run(struct session *s, struct times times)
{
    struct found found;
    const struct problem *p = &s->lab->problem;
    if (s->lab->run >= 2)
        clocks_join(&s->clocks[s->lab->launches > 1], s->clock);
    times.kernel /= s->lab->launches - s->lab->launches / 2; // those that were timed
    if (s->trial != AS_IT_WAS) {
        if (!end_trial(s, times.kernel))
            fail_problem(s);
        return;
    }
    s->runs += calls_to_see_growth(s);
    bool quick = s->lab->run >= 2 && s->lab->run < s->runs - 1;
    const double small = quick ? 0 : s->judged != NULL ? JUDGED_PRODUCT : SMALL_PRODUCT;
    if (verify(p, small, !quick, &found, &s->method)) {
        if (p->set == UNIFORM && found.examined > 0)
            s->error = (struct error){found.examined, found.errors / (double)found.examined,
                                      found.largest_error};
        end_right_run(s, times);
    } else if (s->failed)
        fail_problem(s);
    else {
        begin_findings(p, &s->finding);
        s->finding.found = found;
        s->finding.messages = s->ranks.count > 1;
        begin_trials(s);
    }
}
