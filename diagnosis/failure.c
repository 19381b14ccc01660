// SPDX-License-Identifier: MIT
// What the session does about a wrong result: the first is explained, the others are counted.
#include "diagnosis/failure.h"
#include "diagnosis/diagnosis.h"
#include "session/record.h"

#include <stdlib.h>
#include <string.h>

// The cause that the shapes tried so far suggest, unless it is printed already.
static void print_cause(struct session *s)
{
    const struct cause cause = likely_cause(&s->finding, s->outcomes, s->shapes);
    const char *label = s->cause.kind == NULL ? "  likely cause: " : "  all shapes:    ";
    if (cause.kind == NULL && s->cause.kind != NULL)
        print_wrapped(stdout, label, "full tiles are wrong, too: it is not, or not only, the edge");
    else if (cause.kind != NULL && strcmp(cause.text, s->cause.text) != 0)
        print_wrapped(stdout, label, "%s", cause.text);
    s->cause = cause;
}

static void print_no_cause(const struct session *s)
{
    const struct findings *f = &s->finding;
    const char *label = "  likely cause: ";
    if (s->opt.check)
        print_wrapped(stdout, label,
                      "none can be named: look at the map; make hint lets tools look, too");
    else if (s->opt.rehearse)
        print_wrapped(stdout, label, "none can be named here; make hint looks at %d shapes",
                      battery_size());
    else
        print_wrapped(stdout, label, "none can be named of this shape alone: look at %s",
                      f->M > 1 && f->N > 1 ? "the map" : "one that has a map, 7 5 3");
}

// In the C of the run that was wrong first.
static void find_cause(struct session *s)
{
    struct problem p = s->lab->problem;
    if (s->wrong_c != NULL)
        p.C.data = s->wrong_c;
    diagnose(&p, &s->finding);
    free(s->wrong_c);
    s->wrong_c = NULL;
}

void fail_problem(struct session *s)
{
    if (!s->failed) {
        s->failed = true;
        find_cause(s);
        explain(&s->lab->problem, &s->finding, stdout);
        print_cause(s); // now, as a larger shape may crash
        fflush(stdout);
        write_record(s, "incomplete", NULL); // also of what is found here
    }
    struct outcome *outcome = &s->outcomes[s->shapes - 1];
    outcome->method = s->method;
    outcome->right = false; // in the steady run, too
    outcome->verdict = "fail";
    s->trial = AS_IT_WAS;
    s->lab->run = s->runs;
    s->lab->launches = 0;
}

// The first end is told, unless main has done so itself.
void fail_by_end(struct session *s, const char *how, const char *why)
{
    const char *did = strcmp(how, "crash") == 0 ? "crashed" : "did not end";
    const int last = s->shapes > 0 ? s->shapes - 1 : 0; // it may end before there is one
    struct outcome *outcome = &s->outcomes[last];
    outcome->right = false;
    outcome->verdict = how;
    s->trial = AS_IT_WAS;
    if (!s->failed && s->finding.M > 0) // in a trial
        find_cause(s);
    if (s->ended == NULL) {
        s->ended = how;
        snprintf(s->end_reason, sizeof s->end_reason, "%s", why);
        if (s->failed)
            printf("  stopped        %s at %d x %d x %d\n", did, outcome->M, outcome->N,
                   outcome->K);
        else if (strcmp(how, "main") != 0)
            fprintf(stderr, "gemm: %s\n", why);
    }
    s->failed = true;
}

static void print_right_shapes(const struct session *s)
{
    int right = 0;
    print_groups(s->outcomes, s->shapes);
    for (int o = 0; o < s->shapes; o++)
        right += s->outcomes[o].right;
    printf("%d of %d shapes are right, %s%s\n", right, s->shapes, config.type,
           on_terminal(s) ? "\033[K" : "");
}

void conclude_failure(struct session *s)
{
    if (s->finding.M > 0) { // something is known of a result
        print_cause(s);
        if (s->cause.kind == NULL)
            print_no_cause(s);
        if (s->rehearsal)
            printf("  not run        %d x %d x %d, until this small shape is right\n", s->opt.M,
                   s->opt.N, s->opt.K);
    }
    if (s->opt.check)
        print_right_shapes(s);
}
