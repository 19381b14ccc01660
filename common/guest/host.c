// SPDX-License-Identifier: MIT
// The parent: it has a run done by the child, and believes nothing but the bytes of C. The child
// stands while they are read, and while A and B are written.
#define _GNU_SOURCE
#include "guest/guest.h"
#include "diagnosis/failure.h"
#include "session/session.h"
#include "verify.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static struct {
    pid_t child; // 0: it has ended
    int socket, status;
    bool in_run; // it is to answer with a result
} host;

// How long a small problem may take: so much of the processor and at least as long, or so long at
// all. The slowest honest kernel takes a second for it.
static const double small = 1 << 27, small_emulated = 1 << 22;
static const double processor_ms = 10e3, longest_ms = 30e3;
enum { SLICE_MS = 100, ENDING_MS = 60000, LINE_MS = 2000, CLOSING_MS = 2000 };

// ---- the process ------------------------------------------------------------------------------
// No handler of the kernel's, or of a library's, runs in this process.
__attribute__((noreturn)) static void end_process(int status)
{
    fflush(NULL);
    _exit(status);
}

static void kill_child(void)
{
    if (host.child == 0)
        return;
    kill(host.child, SIGKILL);
    waitpid(host.child, &host.status, 0);
    host.child = 0;
}

static bool has_ended(void)
{
    if (host.child != 0 && waitpid(host.child, &host.status, WNOHANG) == host.child)
        host.child = 0;
    return host.child == 0;
}

static double child_ms(void)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(host.child, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// All of its threads, before anything is touched that they could use.
static void freeze(void)
{
    int status;
    if (host.child == 0)
        return;
    kill(host.child, SIGSTOP);
    if (waitpid(host.child, &status, WUNTRACED) == host.child && !WIFSTOPPED(status)) {
        host.status = status;
        host.child = 0;
    }
}

static void thaw(void)
{
    if (host.child != 0)
        kill(host.child, SIGCONT);
}

// ---- messages ---------------------------------------------------------------------------------
static void tell(struct order order, const int files[FILES])
{
    send_order(host.socket, order, files);
}

enum heard { ANSWER, NOTHING, GONE };

// A kernel may have written it: no text goes on without end, and no number is past a table.
static void bound(struct answer *answer)
{
    answer->reason[sizeof answer->reason - 1] = '\0';
    answer->facts.device[sizeof answer->facts.device - 1] = '\0';
    answer->facts.library[sizeof answer->facts.library - 1] = '\0';
    if ((unsigned)answer->refused > STACK_LACKS)
        answer->refused = NOTHING_LACKS;
    if ((unsigned)answer->access > MISALIGNED)
        answer->access = TOUCHES;
}

static enum heard hear(struct answer *answer, int ms)
{
    struct pollfd ready = {host.socket, POLLIN, 0};
    const bool ended = has_ended(); // it may have said something before
    poll(&ready, 1, ended ? 0 : ms);
    const ssize_t size = recv(host.socket, answer, sizeof *answer, MSG_DONTWAIT);
    if (size == sizeof *answer) {
        bound(answer);
        return ANSWER;
    }
    return ended || size == 0 ? GONE : NOTHING;
}

static void believe(struct lab *lab, const struct facts *facts)
{
    snprintf(lab->device, sizeof lab->device, "%s", facts->device);
    snprintf(used_library, sizeof used_library, "%s", facts->library);
    if (facts->is_emulated)
        lab->backend = "emulated";
    lab->back_to_back = facts->back_to_back;
    lab->alloc_ms = facts->alloc_ms;
    lab->context_ms = facts->context_ms;
    lab->build_ms = facts->build_ms;
    note_device(lab, facts->clock, facts->ahead_ms);
}

// ---- how a run ends otherwise -----------------------------------------------------------------
// "kernel.c:21 ", of what is inlined the innermost line of the kernel; "": it is in no such line.
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

__attribute__((noreturn)) static void end_session(struct lab *lab)
{
    kill_child();
    end_process(conclude(lab));
}

// The kernel is wrong: it did not come to the end of a run.
__attribute__((noreturn, format(printf, 3, 4))) static void
fail_run(struct lab *lab, const char *how, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(lab->end_reason, sizeof lab->end_reason, format, arguments);
    va_end(arguments);
    kill_child();
    fail_by_end(lab, how);
    end_session(lab);
}

static const char *const verbs[] = {[READS] = "reads", [WRITES] = "writes", [TOUCHES] = "touches"};

// It touched what is not A, B or C, but near them.
__attribute__((noreturn)) static void fail_by_stray(struct lab *lab, const struct answer *answer)
{
    const struct problem *p = &lab->problem;
    const struct matrix *m = (const struct matrix *[]){&p->A, &p->B, &p->C}[answer->near];
    struct findings *f = &lab->finding;
    kill_child();
    if (!lab->failed) {
        begin_findings(p, f);
        guards_hold(p, f);
        f->stray = (struct stray){.matrix = "ABC"[answer->near],
                                  .verb = verbs[answer->access],
                                  .at = answer->element,
                                  .last = (long)m->rows * m->cols - 1};
        name_line(answer->instruction, f->stray.line, sizeof f->stray.line);
    }
    fail_problem(lab);
    lab->stopped = true;
    end_session(lab);
}

// "at 33 x 29 x 9"
static const char *place(const struct lab *lab)
{
    static char at[64];
    const struct problem *p = &lab->problem;
    snprintf(at, sizeof at, "at %d x %d x %d", p->M, p->N, p->K);
    return at;
}

__attribute__((noreturn)) static void fail_by_crash(struct lab *lab, const struct answer *answer)
{
    const char *lack = lack_in_words(answer->refused), *at = place(lab);
    const bool at_memory = answer->signal == SIGSEGV || answer->signal == SIGBUS;
    char line[64];
    const bool near = answer->near >= 0 && answer->near < 3;
    if (at_memory && near && lack == NULL && answer->access != MISALIGNED)
        fail_by_stray(lab, answer);
    name_line(answer->instruction, line, sizeof line);
    if (!at_memory)
        fail_run(lab, "crash", "crashed with signal %d %s: %s%s", answer->signal, at, line,
                 strsignal(answer->signal));
    if (line[0] == '\0' && lack == NULL)
        fail_run(lab, "crash",
                 "crashed with signal %d %s: not in a line of the kernel: has it overwritten what "
                 "is not its own?",
                 answer->signal, at);
    if (answer->access == MISALIGNED)
        fail_run(lab, "crash",
                 "crashed with signal %d %s: %stouches an address that is not aligned: "
                 "_mm256_loadu_ps and its like take any",
                 answer->signal, at, line);
    fail_run(lab, "crash", "crashed with signal %d %s: %s%s where there is no memory%s%s",
             answer->signal, at, line, verbs[answer->access], lack != NULL ? ": " : "",
             lack != NULL ? lack : "");
}

// False: it was stopped after so many milliseconds.
static bool await_end(int ms)
{
    const double start = now_ms();
    while (!has_ended() && now_ms() - start < ms)
        poll(NULL, 0, 1);
    const bool by_itself = host.child == 0;
    kill_child();
    return by_itself;
}

__attribute__((noreturn)) static void fail_by_ending(struct lab *lab)
{
    const bool by_itself = await_end(CLOSING_MS);
    if (!by_itself) // it has closed the socket alone
        host.status = 0;
    if (by_itself && lab->shapes == 0 && WIFEXITED(host.status)) // it lists devices, or measures
        end_process(WEXITSTATUS(host.status));                   // something else
    if (WIFSIGNALED(host.status) && WTERMSIG(host.status) == SIGXFSZ) { // as if it were this one
        signal(SIGXFSZ, SIG_DFL);
        raise(SIGXFSZ);
    }
    if (WIFSIGNALED(host.status))
        fail_run(lab, "crash", "crashed with signal %d %s (%s)", WTERMSIG(host.status), place(lab),
                 strsignal(WTERMSIG(host.status)));
    if (WEXITSTATUS(host.status) != 0)
        fail_run(lab, "exit",
                 "the kernel ended the program with status %d before its result was verified",
                 WEXITSTATUS(host.status));
    fail_run(lab, "exit", "the kernel ended the program before its result was verified");
}

__attribute__((noreturn)) static void fail_by_limit(struct lab *lab, double ms)
{
    struct answer answer;
    char line[64] = "";
    kill(host.child, SIGXCPU); // where is it?
    if (hear(&answer, LINE_MS) == ANSWER && answer.kind == CRASHES)
        name_line(answer.instruction, line, sizeof line);
    fail_run(lab, "limit", "no result within %.0f s %s: %s%sa loop that does not end%s?", ms * 1e-3,
             place(lab), line, line[0] != '\0' ? "is at work: " : "",
             strcmp(lab->backend, "opencl") == 0 ? ", or stores outside C that broke the driver"
                                                 : "");
}

// By exit_with(): main, or what it calls, has said why on stderr.
__attribute__((noreturn)) static void end_with(struct lab *lab, const struct answer *answer)
{
    kill_child();
    if (host.in_run && answer->status != EXIT_SKIPPED) { // a library may lack what it takes
        memcpy(lab->end_reason, answer->reason, sizeof lab->end_reason);
        fail_by_end(lab, "main");
        end_session(lab);
    }
    ending.record(lab, answer->status, answer->reason);
    end_process(answer->status);
}

// ---- a run ------------------------------------------------------------------------------------
static bool is_limited(const struct lab *lab)
{
    const struct problem *p = &lab->problem;
    const double most = is_emulated(lab) ? small_emulated : small;
    return GUARD_BYTES > 0 && (double)p->M * p->N * p->K <= most; // under a tool all is slow
}

static struct answer await(struct lab *lab, bool limited)
{
    struct answer answer;
    const double start = now_ms(), before = child_ms();
    for (;;) {
        const enum heard heard = hear(&answer, SLICE_MS);
        const double ms = now_ms() - start;
        if (heard == GONE)
            fail_by_ending(lab);
        if (heard == ANSWER && answer.kind == LEAVES)
            end_with(lab, &answer);
        if (heard == ANSWER && answer.kind == CRASHES)
            fail_by_crash(lab, &answer);
        if (heard == ANSWER) {
            freeze();
            believe(lab, &answer.facts);
            return answer;
        }
        if (limited &&
            (ms > longest_ms || (ms > processor_ms && child_ms() - before > processor_ms)))
            fail_by_limit(lab, ms);
    }
}

static void order_problem(struct lab *lab)
{
    struct problem *p = &lab->problem;
    const struct order order = {.kind = PROBLEM, .M = p->M, .N = p->N, .K = p->K};
    int files[FILES];
    if (!create_files(p, files) || !map_matrices(p, files, PROT_READ | PROT_WRITE))
        exit_with(EXIT_USAGE, "no memory for %d x %d x %d: choose a smaller size", p->M, p->N,
                  p->K);
    (void)seal_files(files, is_in_place(lab)); // a page that is read-only is enough here
    tell(order, files);
    close(files[INPUTS]);
    close(files[OUTPUT]);
}

static void order_run(struct lab *lab)
{
    const struct order order = {
        .kind = RUN, .run = lab->run, .launches = lab->launches, .edge = lab->edge};
    tell(order, NULL);
    thaw();
    host.in_run = true;
    const struct answer answer = await(lab, is_limited(lab));
    host.in_run = false;
    lab->refused = answer.refused;
    lab->kept = answer.kept;
    finish_run(lab, answer.times);
}

// After its last run the child ends by itself, as a tool may have to say something then.
static void end_child(struct lab *lab)
{
    tell((struct order){.kind = NO_MORE}, NULL);
    thaw();
    await_end(ENDING_MS);
    if (host.status != 0 && !lab->failed) {
        snprintf(lab->end_reason, sizeof lab->end_reason,
                 "the program ended with status %d after its last run",
                 WIFEXITED(host.status) ? WEXITSTATUS(host.status) : -WTERMSIG(host.status));
        fail_by_end(lab, "exit");
    }
}

static void drive(struct lab *lab)
{
    await(lab, false); // until it has a device and a program
    while (begin_problem(lab)) {
        order_problem(lab);
        while (begin_run(lab))
            order_run(lab);
        tell((struct order){.kind = NO_MORE}, NULL);
        report_problem(lab);
        unmap_matrices(&lab->problem);
    }
    end_child(lab);
    end_process(conclude(lab));
}

#ifdef __APPLE__ // its frameworks work in a program that was executed, and not behind a fork alone
static const int kind_of_socket = SOCK_DGRAM;

static void become_guest(int socket, char **argv)
{
    char number[16];
    snprintf(number, sizeof number, "%d", socket);
    setenv("GEMM_GUEST", number, 1);
    execvp(argv[0], argv);
    _exit(EXIT_USAGE);
}
#else
static const int kind_of_socket = SOCK_SEQPACKET;

static void become_guest(int socket, char **argv)
{
    (void)socket;
    (void)argv;
}
#endif

void host_guest(struct lab *lab, char **argv)
{
    int ends[2];
    if (socketpair(AF_UNIX, kind_of_socket, 0, ends) != 0)
        exit_with(EXIT_USAGE, "no socket to the process of the kernel: %s", strerror(errno));
    fflush(NULL);
    host.child = fork();
    if (host.child < 0)
        exit_with(EXIT_USAGE, "no process for the kernel: %s", strerror(errno));
    if (host.child == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        close(ends[0]);
        become_guest(ends[1], argv);
        guest_begin(lab, ends[1]);
        return;
    }
    close(ends[1]);
    host.socket = ends[0];
    ending.end = end_process;
    drive(lab);
}
