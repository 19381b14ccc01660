// SPDX-License-Identifier: MIT
// What a kernel of a CPU lab keeps, under AddressSanitizer: see growth.h. Elsewhere nobody counts.
#include "session/growth.h"
#include "session/session.h"

#include <stdio.h>

#ifdef __has_feature // clang
#if __has_feature(address_sanitizer)
#define COUNTS 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__ // gcc
#define COUNTS 1
#endif

#ifdef COUNTS
size_t __sanitizer_get_current_allocated_bytes(void);

int calls_to_see_growth(const struct lab *lab)
{
    static struct growth growth;
    const struct problem *p = &lab->problem;
    if (strcmp(lab->backend, "cpu") != 0 || lab->ranks.count > 0 || !lab->opt.check ||
        lab->trial != AS_IT_WAS || lab->failed || growth.grown > 0)
        return 0;
    if (lab->run == 0)
        growth.calls = 0;
    int more = growth_behind(&growth, __sanitizer_get_current_allocated_bytes(),
                             (double)p->M * p->N * p->K);
    if (growth.grown > 0)
        fprintf(stderr, "\ngemm: " GROWTH_SAID "\n", growth.grown, GROWTH_CALLS);
    return more;
}
#else
int calls_to_see_growth(const struct lab *lab)
{
    (void)lab;
    return 0;
}
#endif
