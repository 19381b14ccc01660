// SPDX-License-Identifier: MIT
// What the session does about a wrong result: the first is explained, the others are counted.
#include "diagnosis/failure.h"
#include "diagnosis/diagnosis.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

// The cause that the shapes tried so far suggest, unless it is printed already.
static void print_cause(struct lab *lab)
{
    const struct cause cause = likely_cause(&lab->finding, lab->outcomes, lab->shapes);
    const char *label = lab->cause.kind == NULL ? "  likely cause: " : "  all shapes:    ";
    if (cause.kind == NULL && lab->cause.kind != NULL)
        print_wrapped(stdout, label, "full tiles are wrong, too: it is not, or not only, the edge");
    else if (cause.kind != NULL && strcmp(cause.text, lab->cause.text) != 0)
        print_wrapped(stdout, label, "%s", cause.text);
    lab->cause = cause;
}

static void print_no_cause(const struct lab *lab)
{
    const struct findings *f = &lab->finding;
    const char *label = "  likely cause: ";
    if (lab->opt.check)
        print_wrapped(stdout, label,
                      "none can be named: look at the map; make hint lets tools look, too");
    else if (lab->opt.rehearse)
        print_wrapped(stdout, label, "none can be named here; make hint looks at %d shapes",
                      battery_size());
    else
        print_wrapped(stdout, label, "none can be named of this shape alone: look at %s",
                      f->M > 1 && f->N > 1 ? "the map" : "one that has a map, 7 5 3");
}

// In the C of the run that was wrong first.
static void find_cause(struct lab *lab)
{
    struct problem p = lab->problem;
    if (lab->wrong_c != NULL)
        p.C.data = lab->wrong_c;
    diagnose(&p, &lab->finding);
    free(lab->wrong_c);
    lab->wrong_c = NULL;
}

void fail_problem(struct lab *lab)
{
    if (!lab->failed) {
        lab->failed = true;
        find_cause(lab);
        explain(&lab->problem, &lab->finding, stdout);
        print_cause(lab); // now, as a larger shape may crash
        fflush(stdout);
        write_record(lab, "incomplete", NULL); // also of what is found here
    }
    struct outcome *outcome = &lab->outcomes[lab->shapes - 1];
    outcome->method = lab->method;
    outcome->right = false; // in the steady run, too
    outcome->verdict = "fail";
    lab->trial = AS_IT_WAS;
    lab->run = lab->runs;
    lab->launches = 0;
}

// The first end is told, unless main has done so itself.
void fail_by_end(struct lab *lab, const char *how, const char *why)
{
    const char *did = strcmp(how, "crash") == 0 ? "crashed" : "did not end";
    const int last = lab->shapes > 0 ? lab->shapes - 1 : 0; // it may end before there is one
    struct outcome *outcome = &lab->outcomes[last];
    outcome->right = false;
    outcome->verdict = how;
    lab->trial = AS_IT_WAS;
    if (!lab->failed && lab->finding.M > 0) // in a trial
        find_cause(lab);
    if (lab->ended == NULL) {
        lab->ended = how;
        snprintf(lab->end_reason, sizeof lab->end_reason, "%s", why);
        if (lab->failed)
            printf("  stopped        %s at %d x %d x %d\n", did, outcome->M, outcome->N,
                   outcome->K);
        else if (strcmp(how, "main") != 0)
            fprintf(stderr, "gemm: %s\n", why);
    }
    lab->failed = true;
}

static void print_right_shapes(const struct lab *lab)
{
    int right = 0;
    print_groups(lab->outcomes, lab->shapes);
    for (int o = 0; o < lab->shapes; o++)
        right += lab->outcomes[o].right;
    printf("%d of %d shapes are right, %s%s\n", right, lab->shapes, config.type,
           on_terminal(lab) ? "\033[K" : "");
}

void conclude_failure(struct lab *lab)
{
    if (lab->finding.M > 0) { // something is known of a result
        print_cause(lab);
        if (lab->cause.kind == NULL)
            print_no_cause(lab);
        if (lab->rehearsal)
            printf("  not run        %d x %d x %d, until this small shape is right\n", lab->opt.M,
                   lab->opt.N, lab->opt.K);
    }
    if (lab->opt.check)
        print_right_shapes(lab);
}
