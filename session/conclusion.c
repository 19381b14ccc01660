// SPDX-License-Identifier: MIT
// How a session ends: its last words, its record, its exit status.
#include "diagnosis/diagnosis.h"
#include "diagnosis/failure.h"
#include "session/record.h"
#include "session/session.h"

#include <stdlib.h>

// What exit_with() calls.
static void record_ending(void *context, int status, const char *reason)
{
    const struct session *s = context;
    const char *verdict = status == EXIT_SKIPPED   ? "skip"
                          : status == EXIT_USAGE   ? "error"
                          : s->no_speed[0] != '\0' ? "impossible"
                                                   : "fail";
    write_record(s, verdict, reason);
}

void keep_ending(struct session *s)
{
    ending.record = record_ending;
    ending.context = s;
}

// UndefinedBehaviorSanitizer calls this: a report ends the program.
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "halt_on_error=1";
}

int conclude(struct session *s)
{
    const char *todo = config.unfinished[0] != '\0' ? config.unfinished : NULL;
    if (s->failed)
        conclude_failure(s);
    if (todo != NULL)
        print_wrapped(stdout, "not done yet     ", "%s%s", s->failed ? "" : "right so far, but ",
                      todo);
    else if (!s->failed && !is_timed(s))
        printf("PASS  %d shape%s, %s%s%s%s\n", s->shapes, s->shapes > 1 ? "s" : "", config.type,
               config.rounding[0] != '\0' ? ", A and B rounded to " : "", config.rounding,
               on_terminal(s) ? "\033[K" : "");
    fflush(stdout);
    const char *reason = todo != NULL             ? todo
                         : s->ended != NULL       ? s->end_reason
                         : s->no_speed[0] != '\0' ? s->no_speed
                                                  : NULL;
    write_record(s, todo != NULL ? "unfinished" : s->failed ? "fail" : "pass", reason);
    ending.decided = true;
    return s->failed || todo != NULL ? EXIT_WRONG : EXIT_SUCCESS;
}
