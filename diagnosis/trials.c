// SPDX-License-Identifier: MIT
// A wrong run is done again with the same inputs, and then with one thing changed at a time: what C
// held before, what is stored around A, and then around B, too. What changes C is evidence, if the
// last run gives the first result again. The loops of main do not notice: next_run gives them the
// same run once more. Finally, C is compared with the product of the previous run's inputs.
#include "diagnosis/cause.h"
#include "diagnosis/failure.h"
#include "guest/room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double longest_ms = 2000; // of a run that is done more than once again
static const double small = 1 << 24;   // products, of which each is computed

void begin_trials(struct session *s)
{
    const struct matrix *C = &s->lab->problem.C;
    const size_t count = elements_of(C);
    s->finding.refused = s->refused;
    s->finding.after_integers =
        s->finding.set == UNIFORM; // the first run of each shape was of integers
    s->wrong_c = scratch(count, sizeof *s->wrong_c);
    memcpy(s->wrong_c, C->data, count * sizeof *s->wrong_c);
    s->trial = AGAIN;
}

void prepare_trial(struct problem *p, enum trial trial)
{
    struct matrix *const inputs[] = {&p->A, &p->B};
    for (size_t at = 0; trial == OTHER_C && at < elements_of(&p->C); at++)
        p->C.data[at] = 1;
    for (int m = 0; m < (trial == OTHER_A) + 2 * (trial == OTHER_B); m++) {
        memset(inputs[m]->block, 0, GUARD_BYTES);
        memset(inputs[m]->data + elements_of(inputs[m]), 0, GUARD_BYTES);
    }
}

// Bit for bit, but one NaN is like another.
static bool is_same(real a, real b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan((double)a) && isnan((double)b));
}

static bool is_right(const struct problem *p, struct findings *f)
{
    const char *method;
    begin_findings(p, f);
    return verify_product(p, small, true, &f->found, &method);
}

// If C held 1 in each element, it is 1 too much in those that have changed.
static bool is_added(struct problem *p, const real *failed)
{
    struct findings rest;
    for (size_t at = 0; at < elements_of(&p->C); at++)
        p->C.data[at] -= (real)!is_same(p->C.data[at], failed[at]);
    return is_right(p, &rest);
}

// The memory before and after A, or B, is 0 now: C may be right, or show one mistake.
static struct cause with_zeros(const struct problem *p, enum trial trial, char beside)
{
    struct findings rest;
    if (is_right(p, &rest))
        return caused("k",
                      "reads outside %c: k leaves 0 to K-1; were 0 what lies there, C would be "
                      "right. Where does the loop over k, or a tile of it, begin and end?",
                      beside);
    rest.trials = trial;
    const struct cause computed = computed_cause(p, &rest);
    if (computed.kind == NULL)
        return computed;
    if (strcmp(computed.kind, "k") == 0) // its loop is not to blame
        return caused("k",
                      "reads outside %c: were 0 what lies there, %.*s. Which index of %c is too "
                      "large?",
                      beside, (int)strcspn(computed.text, ":"), computed.text, beside);
    return caused(computed.kind, "reads outside %c: %.200s", beside, computed.text);
}

// What `trial` left in C, compared with what was there when the run failed. C is lost.
static void compare_trial(struct findings *f, enum trial trial, struct problem *p,
                          const real *failed)
{
    const real *C = p->C.data;
    f->trials = trial;
    for (size_t at = 0; at < elements_of(&p->C); at++) {
        f->changed[trial == ONCE_MORE ? AGAIN : trial] += !is_same(C[at], failed[at]);
        f->unwritten += trial == OTHER_C && is_poison(failed[at]) && C[at] == 1;
    }
    if (trial == OTHER_C && f->changed[trial] > f->unwritten)
        f->added = is_added(p, failed);
    if ((trial == OTHER_A || trial == OTHER_B) && f->changed[trial] > 0 && f->changed[AGAIN] == 0 &&
        f->beside.kind == NULL)
        f->beside = with_zeros(p, trial, f->changed[OTHER_A] > 0 ? 'A' : 'B');
}

// Is the C that failed right with A, or B, of another run of this shape, before it?
static void compare_kept(struct findings *f, struct problem *p, real *former_a, real *former_b)
{
    real *const a = p->A.data, *const b = p->B.data;
    for (int kept = OF_A; kept <= OF_A + OF_B && f->kept == 0; kept++) {
        struct findings rest;
        p->A.data = kept & OF_A ? former_a : a;
        p->B.data = kept & OF_B ? former_b : b;
        f->kept = is_right(p, &rest) ? kept : 0;
    }
    p->A.data = a;
    p->B.data = b;
}

static void compare_with_run_before(struct session *s)
{
    struct problem former, *p = &s->lab->problem;
    if (s->lab->run == 0 || (double)p->M * p->N * p->K > small || s->finding.messages)
        return;
    problem_create(&former, p->tile, p->M, p->N, p->K);
    fill_inputs(&former, s->lab->run == 1 ? INTEGERS : UNIFORM, s->seed_before);
    memcpy(p->C.data, s->wrong_c, elements_of(&p->C) * sizeof *s->wrong_c);
    compare_kept(&s->finding, p, former.A.data, former.B.data);
    problem_free(&former);
}

bool end_trial(struct session *s, double ms)
{
    compare_trial(&s->finding, s->trial, &s->lab->problem, s->wrong_c);
    s->trial++;
    if (s->trial < TRIALS && ms < longest_ms)
        return true;
    s->trial = AS_IT_WAS;
    compare_with_run_before(s);
    return false;
}
