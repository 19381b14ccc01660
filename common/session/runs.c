// SPDX-License-Identifier: MIT
// Which problems, and which runs of each; what comes of a run. main's calls come here by way of
// lab.c.
#include "guest/guest.h"
#include "diagnosis/diagnosis.h"
#include "diagnosis/failure.h"
#include "large/large.h"
#include "record/record.h"
#include "session/session.h"
#include "verify.h"

#include <string.h>

enum { ENDLESS_KINDS = 2 };

// ---- problems ---------------------------------------------------------------------------------
// Before the one that was asked for. Whoever chose three sizes, or a very small one, looks at just
// these.
static bool next_rehearsal(struct lab *lab, struct outcome *shape)
{
    const int M = lab->opt.M, size = size_to_announce(lab);
    const bool odd = lab->opt.rehearse && M == lab->opt.N && M == lab->opt.K && M > 16;
    if (odd && rehearsal_shape(lab->tile, lab->rehearsals, shape)) {
        lab->rehearsals++;
        return true;
    }
    if (size == 0 || lab->sized)
        return false;
    shape->M = shape->N = shape->K = size;
    return lab->sized = true;
}

// A kind of shape with which it crashed, or did not end, is not tried again.
static bool is_hopeless(const struct lab *lab, const char *group)
{
    for (int o = 0; o < lab->shapes; o++)
        if (has_no_result(&lab->outcomes[o]) && strcmp(lab->outcomes[o].group, group) == 0)
            return true;
    return false;
}

// A class does not wait for a kernel that did not end with two kinds of shape.
static bool is_endless(const struct lab *lab)
{
    int limits = 0;
    for (int o = 0; o < lab->shapes; o++)
        limits +=
            lab->outcomes[o].verdict != NULL && strcmp(lab->outcomes[o].verdict, "limit") == 0;
    return limits >= ENDLESS_KINDS;
}

// The number of the next shape that is to be tried; -1: there is none.
static int find_shape(const struct lab *lab, struct outcome *shape)
{
    const struct judged *j = lab->judged;
    for (int at = lab->tried;; at++) {
        if (lab->stopped || is_endless(lab) ||
            (j != NULL ? at == j->count : !battery_shape(lab->tile, at, shape)))
            return -1;
        if (j != NULL)
            *shape = j->shapes[at];
        if (!is_hopeless(lab, shape->group))
            return at;
    }
}

// A tool has said what it found, and would say it again.
bool has_more_shapes(const struct lab *lab)
{
    struct outcome shape;
    const bool has_tool = GUARD_BYTES == 0 || lab->opt.once;
    return lab->opt.check && !has_tool && find_shape(lab, &shape) >= 0;
}

void take_again(struct lab *lab)
{
    lab->has_room = true;
    lab->shapes--;
    lab->tried--;
}

static bool next_in_battery(struct lab *lab, struct outcome *shape)
{
    const int at = find_shape(lab, shape);
    lab->tried = at + 1;
    return at >= 0;
}

static bool next_shape(struct lab *lab, struct outcome *shape)
{
    const bool another = lab->opt.once && lab->shapes < lab->opt.problems;
    if (another) {
        const int *sizes = &lab->opt.sizes[3 * lab->shapes];
        lab->opt.M = sizes[0];
        lab->opt.N = sizes[1];
        lab->opt.K = sizes[2];
    }
    *shape = (struct outcome){.M = lab->opt.M, .N = lab->opt.N, .K = lab->opt.K};
    shape->group = shape->method = "";
    if (lab->stopped)
        return false;
    if (lab->opt.check)
        return next_in_battery(lab, shape);
    if (lab->opt.once)
        return another;
    if (lab->failed || lab->asked_for)
        return false;
    lab->rehearsal = next_rehearsal(lab, shape);
    lab->asked_for = !lab->rehearsal;
    return true;
}

// Of the problem, on one machine: ranks have their parts of it, too.
static double copies(const struct lab *lab)
{
    return lab->ranks.count == 0 ? 1 : 1 + 1.0 / lab->ranks.nodes;
}

bool begin_problem(struct lab *lab)
{
    struct outcome shape;
    problem_free(&lab->problem);
    if (!next_shape(lab, &shape))
        return false;
    int index = is_timed(lab) ? 0 : lab->shapes; // the rehearsal's place is taken by the problem
    lab->outcomes[index] = shape;
    lab->shapes = index + 1;
    if (lab->opt.check) { // where a kernel crashes, the last line names the shape
        printf("check %2d  %d x %d x %d%s", lab->shapes, shape.M, shape.N, shape.K,
               on_terminal(lab) ? "\033[K\r" : "\n");
        fflush(stdout);
    }
    write_record(lab, "incomplete", NULL);
    if (!lab->opt.check) // before the rehearsal
        require_size(lab->tile, lab->opt.M, lab->opt.N, lab->opt.K, copies(lab));
    if (lab->is_alone)
        problem_create(&lab->problem, lab->tile, shape.M, shape.N, shape.K);
    else // where the other process sees it, too
        size_problem(&lab->problem, lab->tile, shape.M, shape.N, shape.K);
    lab->problem.roundoff = config.roundoff;
    lab->problem.tensor_cores = config.tensor_cores;
    bool no_warmup = lab->opt.no_warmup && !lab->opt.check && !lab->rehearsal;
    lab->run = no_warmup ? 2 : 0;
    lab->launches = 1;
    // In the third one there is nothing behind the matrices of a CPU lab.
    const int runs = lab->judged != NULL ? lab->judged->runs[lab->tried - 1]
                     : lab->opt.once     ? 1
                     : is_emulated(lab)  ? 2
                                         : 3;
    lab->runs = no_warmup ? 2 + repetitions(lab, 0) : lab->sized && lab->rehearsal ? 2 : runs;
    return true;
}

// ---- runs -------------------------------------------------------------------------------------
// In the battery, and in a rehearsal, nothing lies before the matrices in the second run of a
// shape, and nothing behind them in the third one. What a mask leaves out, SIMDe may read.
static enum edge edge_of_run(const struct lab *lab)
{
    if (!is_in_place(lab) || lab->is_alone || lab->has_room ||
        !(lab->opt.check || lab->rehearsal) || config.uses_simde || lab->trial != AS_IT_WAS)
        return WITH_ROOM;
    const int first = lab->judged != NULL ? 0 : 1;
    return lab->run == first ? AT_BEGINNING : lab->run == first + 1 ? AT_END : WITH_ROOM;
}

// A trial has the inputs of the run that was wrong. In ./gemm they follow from --seed.
static void fill(struct lab *lab)
{
    struct problem *p = &lab->problem;
    uint32_t seed = lab->opt.seed + (uint32_t)lab->run;
    if (lab->trial != AS_IT_WAS)
        seed = p->seed;
    else {
        lab->seed_before = p->seed;
        seed = lab->judged != NULL ? (uint32_t)lab->judged->draw() : seed;
        p->secret = lab->judged != NULL ? lab->judged->draw() | 1 : 0;
    }
    fill_inputs(p, lab->run == 0 ? INTEGERS : UNIFORM, seed);
}

bool begin_run(struct lab *lab)
{
    if (lab->run == lab->runs && lab->launches == 1)
        lab->launches = steady_launches(lab);
    if (lab->run == lab->runs && lab->launches == 0)
        return false;
    lab->edge = edge_of_run(lab);
    lab->trapped = lab->trapped || lab->edge != WITH_ROOM;
    if (!lab->is_alone)
        place_matrices(&lab->problem, lab->edge);
    fill(lab);
    poison_output(&lab->problem);
    prepare_trial(&lab->problem, lab->trial);
    return true;
}

// Runs 0 and 1 are for verification, and warm up; the others are timed, and the last of them is
// verified in the same way.
static void end_right_run(struct lab *lab, struct times times)
{
    if (lab->launches > 1) {
        end_steady_run(lab, times.kernel);
        return;
    }
    if (lab->run == 1 && !lab->opt.check && !lab->rehearsal)
        lab->runs = 2 + repetitions(lab, times.kernel);
    if (lab->run >= 2)
        lab->times[lab->run - 2] = times;
    announce(lab, times.kernel);
    lab->run++;
    struct outcome *outcome = &lab->outcomes[lab->shapes - 1];
    outcome->right = lab->run == lab->runs;
    outcome->verdict = outcome->right ? "pass" : NULL;
    outcome->method = lab->method;
}

void finish_run(struct lab *lab, struct times times)
{
    struct findings findings;
    if (lab->run >= 2)
        clocks_join(&lab->clocks[lab->launches > 1], lab->clock);
    times.kernel /= lab->launches - lab->launches / 2; // those that were timed
    if (lab->trial != AS_IT_WAS) {
        if (!end_trial(lab, times.kernel))
            fail_problem(lab);
        return;
    }
    lab->runs += calls_to_see_growth(lab);
    bool quick = lab->run >= 2 && lab->run < lab->runs - 1;
    if (verify(&lab->problem, quick, &findings, &lab->method)) {
        if (lab->problem.set == UNIFORM && findings.examined > 0)
            lab->error =
                (struct error){findings.examined, findings.errors / (double)findings.examined,
                               findings.largest_error};
        end_right_run(lab, times);
    } else if (lab->failed)
        fail_problem(lab);
    else {
        findings.messages = lab->ranks.count > 1;
        begin_trials(lab, &findings);
    }
}
