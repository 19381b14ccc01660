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

// At a larger shape such a kernel may overwrite this program.
static bool is_dangerous(const struct findings *f)
{
    const long written = f->guard_words[0] + f->guard_words[1] + f->guard_words[2];
    // If C changes from run to run, other memory around A and B may have nothing to do with it.
    const long read = f->changed[AGAIN] > 0 ? 0 : f->changed[OTHER_A] + f->changed[OTHER_B];
    return f->stray.matrix != 0 || written + read > 0;
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
        lab->stopped = !is_timed(lab) && is_dangerous(&lab->finding);
    }
    lab->outcomes[lab->shapes - 1].method = lab->method;
    lab->outcomes[lab->shapes - 1].right = false; // in the steady run, too
    lab->run = lab->runs;
    lab->launches = 0;
}

// A kernel that was seen to be wrong may well crash at another shape: what was found has been told.
void fail_by_end(struct lab *lab, const char *how)
{
    lab->ended = how;
    if (!lab->failed && lab->finding.M > 0) // in a trial
        find_cause(lab);
    if (lab->failed)
        printf("  stopped        %s at this shape: no other is tried\n",
               strcmp(how, "crash") == 0 ? "crashed" : "did not end");
    else if (strcmp(how, "main") != 0) // which has said so itself
        fprintf(stderr, "gemm: %s\n", lab->end_reason);
    lab->failed = lab->stopped = true;
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
    if (lab->finding.M == 0) // nothing is known of a result
        return;
    print_cause(lab);
    if (lab->cause.kind == NULL)
        print_no_cause(lab);
    if (lab->stopped)
        printf("  stopped        a kernel that touches what is outside A, B and C may crash\n");
    if (lab->rehearsal)
        printf("  not run        %d x %d x %d, until this small shape is right\n", lab->opt.M,
               lab->opt.N, lab->opt.K);
    if (lab->opt.check)
        print_right_shapes(lab);
}
