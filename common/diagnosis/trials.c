// SPDX-License-Identifier: MIT
// A run that was wrong is done again with the very same inputs, and then with one thing changed at a
// time: what C held before, what lies around A, around B. What changes C then is evidence. The loops
// of main do not know: next_run gives them the same run once more.
#include "diagnosis/failure.h"
#include "strict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double longest_ms = 2000; // of a run that is done more than once again

void begin_trials(struct lab *lab, const struct findings *f)
{
    const struct matrix *C = &lab->problem.C;
    size_t count = (size_t)C->rows * (size_t)C->cols;
    lab->finding = *f;
    lab->finding.after_integers = f->set == UNIFORM; // the first run of each shape was of integers
    lab->wrong_c = scratch(count, sizeof *lab->wrong_c);
    memcpy(lab->wrong_c, C->data, count * sizeof *lab->wrong_c);
    lab->trial = AGAIN;
}

void other_guards(struct matrix *input)
{
    size_t count = (size_t)input->rows * (size_t)input->cols;
    memset(input->block, 0, GUARD_BYTES);
    memset(input->data + count, 0, GUARD_BYTES);
}

void other_content(struct matrix *output)
{
    size_t count = (size_t)output->rows * (size_t)output->cols;
    for (size_t i = 0; i < count; i++)
        output->data[i] = 1;
}

// After fill_inputs and poison_output.
void prepare_trial(struct lab *lab)
{
    struct problem *p = &lab->problem;
    if (lab->trial == OTHER_C)
        other_content(&p->C);
    else if (lab->trial == OTHER_A || lab->trial == OTHER_B)
        other_guards(lab->trial == OTHER_A ? &p->A : &p->B);
}

// Bit for bit, but one NaN is like another.
static bool is_same(real a, real b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan((double)a) && isnan((double)b));
}

void compare_trial(struct findings *f, enum trial trial, const struct matrix *C, const real *failed)
{
    size_t count = (size_t)C->rows * (size_t)C->cols;
    f->trials = trial;
    for (size_t at = 0; at < count; at++) {
        f->changed[trial] += !is_same(C->data[at], failed[at]);
        f->unwritten += trial == OTHER_C && is_poison(failed[at]) && C->data[at] == 1;
    }
}

bool end_trial(struct lab *lab, double ms)
{
    compare_trial(&lab->finding, lab->trial, &lab->problem.C, lab->wrong_c);
    lab->trial++;
    if (lab->trial < TRIALS && ms < longest_ms)
        return true;
    lab->trial = AS_IT_WAS;
    free(lab->wrong_c);
    lab->wrong_c = NULL;
    return false;
}
