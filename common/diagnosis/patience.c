// SPDX-License-Identifier: MIT
// A small problem that takes long: a message with the shape and the line of the kernel, in case its
// loop does not end. make check ends such a program.
#define _GNU_SOURCE // alarm, and where a signal has come
#include "diagnosis/failure.h"

#include <errno.h>
#include <signal.h>

static const unsigned long_s = 10, check_s = 25; // --check: that is the end
// Products. The slowest honest kernel takes a second for them.
static const double small = 1 << 27, small_emulated = 1 << 22;

static struct lab *waiting; // for its kernel

// Where the line is unknown, as of a device, the shape is said alone.
static void tell(int number, siginfo_t *about, void *context)
{
    struct stray at = {0};
    const struct problem *p = &waiting->problem;
    const int error = errno; // the kernel's
    const bool ends = waiting->opt.check;
    (void)number;
    (void)about;
    describe_access(context, &at);
    fprintf(stderr, "gemm: no result after %u s at %d x %d x %d: %s%sa loop that does not end?%s\n",
            ends ? check_s : long_s, p->M, p->N, p->K, at.line,
            at.line[0] != '\0' ? "is at work: " : "", ends ? "" : " Ctrl-C stops it");
    if (ends)
        _exit(EXIT_USAGE);
    errno = error;
}

void begin_patience(struct lab *lab)
{
    const struct problem *p = &lab->problem;
    double most = is_emulated(lab) ? small_emulated : small;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    // Under a tool all is slow, and of ranks each has its part.
    if (GUARD_BYTES == 0 || lab->ranks.count > 0 || (double)p->M * p->N * p->K > most)
        return;
    waiting = lab;
    action.sa_sigaction = tell;
    sigaction(SIGALRM, &action, NULL);
    alarm(lab->opt.check ? check_s : long_s);
}

void end_patience(void)
{
    alarm(0);
}
