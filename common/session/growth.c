// SPDX-License-Identifier: MIT
// What a kernel of a CPU lab keeps, under AddressSanitizer: see growth.h.
#include "session/growth.h"
#include "session/session.h"

#include <stdio.h>

int calls_to_see_growth(struct lab *lab)
{
    static struct growth growth;
    const struct problem *p = &lab->problem;
    if (strcmp(lab->backend, "cpu") != 0 || lab->ranks.count > 0 || !lab->opt.check ||
        lab->trial != AS_IT_WAS || lab->failed || growth.grown > 0 || lab->kept == 0)
        return 0;
    if (lab->run == 0)
        growth.calls = 0;
    if (lab->runs < GROWTH_FIRST)
        lab->runs = GROWTH_FIRST;
    int more = growth_behind(&growth, lab->kept, (double)p->M * p->N * p->K);
    lab->grown = growth.grown;
    if (growth.grown > 0)
        fprintf(stderr, "\ngemm: " GROWTH_SAID "\n", growth.grown, GROWTH_CALLS);
    return more;
}
