// SPDX-License-Identifier: MIT
// The parent lets the guest do the runs and trusts only the bytes of C. The guest is stopped while
// C is read and while A and B are written. With --check, a guest that crashed or did not end is
// replaced by a new one, which computes the other kinds of shape.
#define _GNU_SOURCE
#include "guest/process.h"
#include "diagnosis/diagnosis.h"
#include "diagnosis/failure.h"
#include "session/session.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    struct process guest;
    bool in_run;    // the guest has an order to compute
    double used_ms; // by all runs
} host;

// A small problem has this many products at most, and this much processor time. The slowest honest
// kernel needs a second.
static const double small = 1 << 27, small_emulated = 1 << 22;
static const double processor_most_ms = 10e3;
enum { SLICE_MS = 100, START_MS = 60000, ENDING_MS = 60000, LINE_MS = 2000, CLOSING_MS = 2000 };

// exit() could run a handler of the kernel or of a library in this process.
__attribute__((noreturn)) static void end_process(int status)
{
    fflush(NULL);
    _exit(status);
}

static void believe(struct session *s, const struct facts *facts)
{
    snprintf(s->lab->device, sizeof s->lab->device, "%s", facts->device);
    snprintf(used_library, sizeof used_library, "%s", facts->library);
    if (facts->is_emulated && s->judged == NULL) // a judge knows the backend itself
        s->lab->backend = "emulated";
    s->lab->back_to_back = facts->back_to_back;
    s->lab->alloc_ms = facts->alloc_ms;
    s->lab->context_ms = facts->context_ms;
    s->lab->build_ms = facts->build_ms;
    s->clock = facts->clock;
    s->ahead_ms = facts->ahead_ms;
}

// ---- how a run ends otherwise -----------------------------------------------------------------
// "kernel.c:21 ", the innermost line of the kernel for inlined code; "" outside the kernel.
static void name_line(uintptr_t instruction, char *line, size_t size)
{
    char said[512];
    line[0] = '\0';
    if (instruction == 0)
        return;
    snprintf(said, sizeof said, "addr2line -i -e /proc/%d/exe 0x%lx 2>/dev/null", (int)getpid(),
             (unsigned long)instruction);
    FILE *out = popen(said, "r");
    while (out != NULL && fgets(said, sizeof said, out) != NULL) {
        const char *slash = strrchr(said, '/'), *file = slash != NULL ? slash + 1 : said;
        if (strncmp(file, "kernel", 6) == 0 && line[0] == '\0')
            snprintf(line, size, "%.*s ", (int)strcspn(file, " \n"), file);
    }
    if (out != NULL)
        pclose(out);
}

// The kernel is wrong: it did not come to the end of a run.
__attribute__((format(printf, 3, 4))) static void fail_run(struct session *s, const char *how,
                                                           const char *format, ...)
{
    char reason[sizeof s->end_reason];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    kill_process(&host.guest);
    fail_by_end(s, how, reason);
}

static const char *const verbs[] = {[READS] = "reads", [WRITES] = "writes", [TOUCHES] = "touches"};

// "at 33 x 29 x 9"
static const char *place(const struct session *s)
{
    static char at[64];
    const struct problem *p = &s->lab->problem;
    snprintf(at, sizeof at, "at %d x %d x %d", p->M, p->N, p->K);
    return at;
}

// A kernel that reads beside A or B may still be right: the shape is repeated with memory there.
static void give_room(struct session *s, const struct stray *stray)
{
    snprintf(s->outside, sizeof s->outside, "%s%s outside %c: element %ld, and the last is %ld, %s",
             stray->line, stray->verb, stray->matrix, stray->at, stray->last, place(s));
    s->failed = true;
    take_again(s);
}

// An access near A, B or C, but outside.
static void fail_by_stray(struct session *s, const struct answer *answer)
{
    const struct problem *p = &s->lab->problem;
    const struct matrix *m = (const struct matrix *[]){&p->A, &p->B, &p->C}[answer->near];
    struct stray stray = {.matrix = "ABC"[answer->near],
                          .verb = verbs[answer->access],
                          .at = answer->element,
                          .last = (long)m->rows * m->cols - 1};
    kill_process(&host.guest);
    name_line(answer->instruction, stray.line, sizeof stray.line);
    if (!s->failed) {
        begin_findings(p, &s->finding);
        guards_hold(p, &s->finding.found);
        s->finding.stray = stray;
        fail_problem(s);
    }
    s->outcomes[s->shapes - 1].verdict = "crash";
    if (s->opt.check && s->edge != WITH_ROOM && answer->access != WRITES)
        give_room(s, &stray);
}

static void fail_by_crash(struct session *s, const struct answer *answer)
{
    const char *lack = lack_in_words(answer->refused), *at = place(s);
    const bool at_memory = answer->signal == SIGSEGV || answer->signal == SIGBUS;
    char line[64];
    const bool near = answer->near >= 0 && answer->near < 3;
    if (at_memory && near && lack == NULL && answer->access != MISALIGNED) {
        fail_by_stray(s, answer);
        return;
    }
    name_line(answer->instruction, line, sizeof line);
    if (!at_memory)
        fail_run(s, "crash", "crashed with signal %d %s: %s%s", answer->signal, at, line,
                 strsignal(answer->signal));
    else if (line[0] == '\0' && lack == NULL && !host.guest.executed)
        fail_run(s, "crash",
                 "crashed with signal %d %s: not in a line of the kernel: has it overwritten what "
                 "is not its own?",
                 answer->signal, at);
    else if (answer->access == MISALIGNED)
        fail_run(s, "crash",
                 "crashed with signal %d %s: %stouches an address that is not aligned: "
                 "_mm256_loadu_ps and its like take any",
                 answer->signal, at, line);
    else
        fail_run(s, "crash", "crashed with signal %d %s: %s%s where there is no memory%s%s",
                 answer->signal, at, line, verbs[answer->access], lack != NULL ? ": " : "",
                 lack != NULL ? lack : "");
}

static void fail_by_ending(struct session *s)
{
    struct process *g = &host.guest;
    const bool by_itself = await_end(g, CLOSING_MS);
    if (!by_itself) // it only closed the socket
        g->status = 0;
    const int number = signal_of(g);
    if (by_itself && s->shapes == 0 && number == 0) // --list-devices, for example
        end_process(WEXITSTATUS(g->status));
    if (number == SIGXFSZ && !g->executed) { // end in the same way
        signal(SIGXFSZ, SIG_DFL);
        raise(SIGXFSZ);
    }
    if (number != 0)
        fail_run(s, "crash", "crashed with signal %d %s (%s)", number, place(s), strsignal(number));
    else if (WEXITSTATUS(g->status) != 0)
        fail_run(s, "exit",
                 "the kernel ended the program with status %d before its result was verified",
                 WEXITSTATUS(g->status));
    else
        fail_run(s, "exit", "the kernel ended the program before its result was verified");
}

static void fail_by_limit(struct session *s, double ms)
{
    struct answer answer;
    char line[64] = "";
    interrupt(&host.guest); // it answers with the line
    if (hear(&host.guest, &answer, LINE_MS) == ANSWER && answer.kind == CRASHES)
        name_line(answer.instruction, line, sizeof line);
    fail_run(s, "limit", "no result within %.*f s %s: %s%sa loop that does not end%s?", ms < 1e3,
             ms * 1e-3, place(s), line, line[0] != '\0' ? "is at work: " : "",
             strcmp(s->lab->backend, "opencl") == 0 ? ", or stores outside C that broke the driver"
                                                    : "");
}

// main called exit_with(), which has printed the reason.
static void fail_by_main(struct session *s, const struct answer *answer)
{
    kill_process(&host.guest);
    const bool is_skip = answer->status == EXIT_SKIPPED && s->judged == NULL;
    if (host.in_run && !is_skip) { // a library may be missing
        fail_by_end(s, "main", answer->reason);
        return;
    }
    ending.record(s, answer->status, answer->reason);
    end_process(answer->status);
}

// ---- a run ------------------------------------------------------------------------------------
// Processor time of a run at most, in milliseconds; 0: no limit.
static double most_ms(const struct session *s)
{
    const struct problem *p = &s->lab->problem;
    const double most = is_emulated(s) ? small_emulated : small;
    if (s->judged != NULL)
        return s->judged->call_ms;
    return GUARD_BYTES > 0 && (double)p->M * p->N * p->K <= most ? processor_most_ms : 0;
}

// False: the guest has ended, and *lab says why.
static bool await(struct session *s, double most, struct answer *answer)
{
    struct process *g = &host.guest;
    const double start = now_ms(), before = processor_ms(g->pid);
    const double delay = most > 0 ? run_delay(g->pid) : 0;
    for (;;) {
        const enum heard heard = hear(g, answer, SLICE_MS);
        const double ms = now_ms() - start, processor = processor_ms(g->pid) - before;
        if (heard == ANSWER && answer->kind <= DONE && freeze(g)) {
            host.used_ms += processor < ms ? processor : ms;
            believe(s, &answer->facts);
            return true;
        }
        if (heard == ANSWER && answer->kind == LEAVES)
            fail_by_main(s, answer);
        else if (heard == ANSWER && answer->kind == CRASHES)
            fail_by_crash(s, answer);
        else if (heard == ANSWER)
            fail_run(s, "limit", "does not stop when it is told to");
        else if (heard == GREEDY)
            fail_run(s, "memory", "takes more than %zu MiB of memory", g->most >> 20);
        else if (heard == GONE)
            fail_by_ending(s);
        else if (most > 0 && is_over(g, ms, processor, run_delay(g->pid) - delay, most)) {
            host.used_ms += ms;
            fail_by_limit(s, ms);
        } else
            continue;
        return false;
    }
}

// Waits until main has a device and a program. A guest in a sandbox must not send anything else.
// If it ends, the sandbox may be at fault ("start"), or code of the kernel that runs before main.
// After the first shape, no other guest is started.
static bool await_ready(struct session *s)
{
    struct answer answer;
    struct process *g = &host.guest;
    char why[sizeof s->end_reason] = "said something else before it was ready";
    if (!g->executed)
        return await(s, 0, &answer);
    const enum heard heard = hear(g, &answer, START_MS);
    if (heard == ANSWER && answer.kind == READY && freeze(g)) {
        believe(s, &answer.facts);
        return true;
    }
    const bool leaves = heard == ANSWER && answer.kind == LEAVES;
    if (leaves)
        snprintf(why, sizeof why, "ended by itself: %.1000s", answer.reason);
    else if (heard == NOTHING)
        snprintf(why, sizeof why, "was not ready within %d s", START_MS / 1000);
    else if (heard == GONE) {
        await_end(g, CLOSING_MS);
        end_in_words(g, why, sizeof why);
    }
    kill_process(g);
    if (s->shapes > 0)
        return false;
    s->ended = leaves || heard == GONE ? "start" : heard == NOTHING ? "limit" : "exit";
    ending.record(s, EXIT_USAGE, why);
    end_process(EXIT_USAGE);
}

static bool order_run(struct session *s)
{
    const struct order order = {.kind = RUN,
                                .run = s->lab->run,
                                .launches = s->lab->launches,
                                .edge = s->edge,
                                .is_timed = s->lab->is_timed};
    struct answer answer;
    send_order(host.guest.socket, order, NULL);
    thaw(&host.guest);
    host.in_run = true;
    const bool is_done = await(s, most_ms(s), &answer);
    host.in_run = false;
    if (!is_done)
        return false;
    s->refused = answer.refused;
    s->kept = answer.kept;
    finish_run(s, answer.times);
    return true;
}

static void no_more(void)
{
    send_order(host.guest.socket, (struct order){.kind = NO_MORE}, NULL);
}

// The guest ends by itself, because a tool may print its report at the end.
static void end_guest(struct session *s)
{
    struct process *g = &host.guest;
    char reason[96];
    no_more();
    thaw(g);
    await_end(g, s->judged != NULL ? (int)s->judged->call_ms : ENDING_MS);
    if (g->status == 0 || s->failed)
        return;
    snprintf(reason, sizeof reason, "the program ended with status %d after its last run",
             signal_of(g) != 0 ? -signal_of(g) : WEXITSTATUS(g->status));
    fail_by_end(s, "exit", reason);
}

static bool is_late(struct session *s)
{
    const double most = s->judged != NULL ? s->judged->total_ms : 0;
    if (most == 0 || host.used_ms <= most)
        return false;
    fail_run(s, "limit", "all runs together take more than %g s", most * 1e-3);
    return s->stopped = true;
}

// False: the guest has ended.
static bool do_runs(struct session *s)
{
    order_problem(&host.guest, &s->lab->problem, is_in_place(s));
    while (begin_run(s))
        if (is_late(s) || !order_run(s))
            return false;
    no_more();
    return true;
}

// True: another guest has to compute the remaining shapes.
static bool drive(struct session *s)
{
    if (!await_ready(s))
        return false;
    while (begin_problem(s)) {
        const bool lives = do_runs(s);
        report_problem(s);
        unmap_matrices(&s->lab->problem);
        if (!lives)
            return has_more_shapes(s);
    }
    end_guest(s);
    return false;
}

#ifdef __APPLE__ // its frameworks do not work after fork() without exec()
static void become_guest(int socket, char **argv)
{
    char number[16];
    snprintf(number, sizeof number, "%d", socket);
    setenv("GEMM_GUEST", number, 1);
    execvp(argv[0], argv);
    _exit(EXIT_USAGE);
}
#else
static void become_guest(int socket, char **argv)
{
    (void)socket;
    (void)argv;
}
#endif

void host_guest(struct session *s, char **argv)
{
    char **const command = s->judged != NULL ? argv : NULL;
    struct process *g = &host.guest;
    if (s->judged != NULL) {
        g->log = s->judged->log;
        g->most = s->judged->memory;
    }
    do {
        if (!start_process(g, command)) {
            become_guest(g->socket, argv);
            guest_begin(s, g->socket);
            return;
        }
        ending.end = end_process;
    } while (drive(s));
    if (g->log != NULL && (fflush(g->log) != 0 || ferror(g->log))) // or a report is lost
        exit_with(EXIT_USAGE, "cannot write the log: %s", strerror(errno));
    end_process(conclude(s));
}
