// SPDX-License-Identifier: MIT
// The child: main's calls wait for the host's orders, and answer.
#define _GNU_SOURCE // dladdr, and what an x86 CPU says of an access
#include "guest/guest.h"
#include "session/session.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

static struct {
    int socket;
    struct session *session;
    struct problem shared; // under a tool, which sees what is touched outside of memory of its own
} guest;

static const bool has_tool = GUARD_BYTES == 0;

// Where the program is linked with a sanitizer.
__attribute__((weak)) void __asan_init(void);
__attribute__((weak)) void __tsan_init(void);
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

// Who cannot reach the host has overwritten this file's variables, unless the host is gone.
__attribute__((noreturn)) static void lose_host(bool is_gone)
{
    if (!is_gone)
        abort();
    _exit(EXIT_USAGE);
}

static void say(struct answer *answer)
{
    if (send(guest.socket, answer, sizeof *answer, MSG_NOSIGNAL) != sizeof *answer)
        lose_host(errno == EPIPE);
}

static struct answer begin_answer(enum what kind)
{
    const struct session *s = guest.session;
    struct answer answer = {.kind = kind};
    answer.facts = (struct facts){.is_emulated = is_emulated(s),
                                  .back_to_back = s->lab->back_to_back,
                                  .alloc_ms = s->lab->alloc_ms,
                                  .context_ms = s->lab->context_ms,
                                  .build_ms = s->lab->build_ms,
                                  .ahead_ms = s->ahead_ms,
                                  .clock = s->clock};
    snprintf(answer.facts.device, sizeof answer.facts.device, "%s", s->lab->device);
    snprintf(answer.facts.library, sizeof answer.facts.library, "%s", used_library);
    return answer;
}

// ---- the end ----------------------------------------------------------------------------------
static void leave(void *context, int status, const char *reason)
{
    struct answer answer = begin_answer(LEAVES);
    (void)context;
    answer.status = status;
    snprintf(answer.reason, sizeof answer.reason, "%s", reason);
    say(&answer);
}

// Of an x86 CPU, a fault that has no address, and an instruction.
enum { PROTECTION = 13, RETURN = 0xC3 };

// Such a fault, where each register holds what could be an address, is for want of alignment; who
// returns to what lies on the stack takes it from there.
static void describe(const ucontext_t *context, struct answer *answer)
{
    Dl_info program, ours;
    void *instruction = NULL;
    answer->access = TOUCHES;
#if defined __linux__ && defined __x86_64__
    const greg_t *registers = context->uc_mcontext.gregs;
    instruction = (void *)registers[REG_RIP];
    if (registers[REG_TRAPNO] != PROTECTION)
        answer->access = (registers[REG_ERR] & 2) != 0 ? WRITES : READS;
    else if (*(const unsigned char *)instruction != RETURN) {
        answer->access = MISALIGNED;
        for (int r = REG_R8; r <= REG_RSP; r++)
            if (registers[r] >> 47 != 0 && registers[r] >> 47 != -1)
                answer->access = TOUCHES;
    }
#elif defined __linux__ && defined __aarch64__
    instruction = (void *)context->uc_mcontext.pc;
#else
    (void)context;
#endif
    if (dladdr(instruction, &program) != 0 && dladdr((const void *)&guest, &ours) != 0 &&
        program.dli_fbase == ours.dli_fbase)
        answer->instruction = (uintptr_t)instruction - (uintptr_t)program.dli_fbase;
}

// Whatever this process has in memory may be overwritten. SIGXCPU comes from the host, which wants
// to know where a kernel without end is.
static void crash(int number, siginfo_t *about, void *context)
{
    static struct answer answer; // the stack may have no more room
    answer.kind = CRASHES;
    answer.signal = number;
    answer.near = number == SIGXCPU
                      ? 3
                      : matrix_near(&guest.session->lab->problem, about->si_addr, &answer.element);
    answer.refused = number == SIGXCPU ? NOTHING_LACKS : what_lacks(about->si_addr);
    describe(context, &answer);
    say(&answer);
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_crashes(void)
{
    static char stack[1 << 16];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (__asan_init != NULL || __tsan_init != NULL) // which says it better
        return;
    action.sa_sigaction = crash;
    sigaltstack(&own, NULL);
    for (size_t s = 0; s < sizeof signals / sizeof signals[0]; s++)
        sigaction(signals[s], &action, NULL);
}

// ---- orders -----------------------------------------------------------------------------------
static struct order receive(int files[FILES])
{
    struct order order;
    errno = 0;
    if (!receive_order(guest.socket, &order, files))
        lose_host(errno == 0);
    return order;
}

void guest_begin(struct session *s, int socket)
{
    const char *prints = getenv("GEMM_PRINTS"); // make grade: stdout is a tool's
    if (prints != NULL)
        dup2(atoi(prints), STDOUT_FILENO);
    guest.socket = socket;
    guest.session = s;
    s->is_guest = true;
    ending.record = leave;
}

bool guest_next_problem(struct session *s)
{
    int files[FILES];
    static bool is_ready;
    if (!is_ready) {
        struct answer answer = begin_answer(READY);
        say(&answer);
        is_ready = true;
        if (is_in_place(s))
            watch_crashes();
    } else if (has_tool) {
        problem_free(&s->lab->problem);
        unmap_matrices(&guest.shared);
    } else
        unmap_matrices(&s->lab->problem);
    const struct order order = receive(files);
    if (order.kind == NO_MORE)
        return false;
    struct problem *p = &s->lab->problem, sized;
    size_problem(&sized, s->lab->tile, order.M, order.N, order.K);
    // On a device main copies A and B back, to see that they are what they were.
    if (!map_matrices(&sized, files, PROT_READ | (is_in_place(s) ? 0 : PROT_WRITE)))
        exit_with(EXIT_USAGE, "no memory for %d x %d x %d: choose a smaller size", order.M, order.N,
                  order.K);
    close(files[INPUTS]);
    close(files[OUTPUT]);
    if (has_tool) {
        guest.shared = sized;
        problem_create(p, s->lab->tile, order.M, order.N, order.K);
    } else
        *p = sized;
    return true;
}

// Between the matrices of both processes and those that a tool surrounds.
static void copy_matrices(const struct problem *from, struct problem *to)
{
    const struct matrix *there[] = {&from->A, &from->B, &from->C};
    struct matrix *here[] = {&to->A, &to->B, &to->C};
    for (int m = 0; m < 3; m++)
        memcpy(here[m]->data, there[m]->data, there[m]->bytes);
}

// Of what is copied alone valgrind does not say that nothing has set it.
static void look_at(const struct matrix *m)
{
    static volatile size_t nans;
    for (size_t e = 0; e < m->bytes / sizeof(real); e++)
        if (m->data[e] != m->data[e])
            nans = nans + 1;
}

bool guest_next_run(struct session *s)
{
    int files[FILES];
    struct order order = receive(files);
    for (; order.kind == ECHO; order = receive(files)) {
        struct answer answer = begin_answer(DONE);
        say(&answer);
    }
    if (order.kind == NO_MORE)
        return false;
    s->lab->run = order.run;
    s->lab->launches = order.launches;
    s->lab->is_timed = order.is_timed;
    s->watched_from = 0;
    if (has_tool)
        copy_matrices(&guest.shared, &s->lab->problem);
    if (is_in_place(s)) {
        place_matrices(&s->lab->problem, order.edge);
        set_edges(&s->lab->problem, order.edge);
        begin_memory(mapped_bytes(&s->lab->problem));
    }
    errno = 0;
    return true;
}

void guest_end_run(struct session *s, struct times times)
{
    if (is_in_place(s))
        end_memory();
    if (has_tool) {
        look_at(&s->lab->problem.C);
        copy_matrices(&s->lab->problem, &guest.shared);
    }
    struct answer answer = begin_answer(DONE);
    answer.times = times;
    answer.refused = was_refused_memory();
    if (__sanitizer_get_current_allocated_bytes != NULL)
        answer.kept = __sanitizer_get_current_allocated_bytes();
    fflush(stdout); // what the kernel prints stands before what the host says of it
    say(&answer);
}
