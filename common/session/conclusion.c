// SPDX-License-Identifier: MIT
// How a session ends: its last words, its record, its exit status.
#include "diagnosis/diagnosis.h"
#include "diagnosis/failure.h"
#include "record/record.h"
#include "session/session.h"

#include <stdlib.h>

// What exit_with() calls.
static void record_ending(void *context, int status, const char *reason)
{
    const struct lab *lab = context;
    const char *verdict = status == EXIT_SKIPPED     ? "skip"
                          : status == EXIT_USAGE     ? "error"
                          : lab->no_speed[0] != '\0' ? "impossible"
                                                     : "fail";
    write_record(lab, verdict, reason);
}

void keep_ending(struct lab *lab)
{
    ending.record = record_ending;
    ending.context = lab;
}

// UndefinedBehaviorSanitizer asks: what it reports ends the program.
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "halt_on_error=1";
}

int conclude(struct lab *lab)
{
    const char *todo = config.unfinished[0] != '\0' ? config.unfinished : NULL;
    if (lab->failed)
        conclude_failure(lab);
    if (todo != NULL)
        print_wrapped(stdout, "not done yet     ", "%s%s", lab->failed ? "" : "right so far, but ",
                      todo);
    else if (!lab->failed && !is_timed(lab))
        printf("PASS  %d shape%s, %s%s%s%s\n", lab->shapes, lab->shapes > 1 ? "s" : "", config.type,
               config.rounding[0] != '\0' ? ", A and B rounded to " : "", config.rounding,
               on_terminal(lab) ? "\033[K" : "");
    fflush(stdout);
    const char *reason = todo != NULL               ? todo
                         : lab->ended != NULL       ? lab->end_reason
                         : lab->no_speed[0] != '\0' ? lab->no_speed
                                                    : NULL;
    write_record(lab, todo != NULL ? "unfinished" : lab->failed ? "fail" : "pass", reason);
    ending.decided = true;
    return lab->failed || todo != NULL ? EXIT_WRONG : EXIT_SUCCESS;
}
