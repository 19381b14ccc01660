// SPDX-License-Identifier: MIT
// Reads outside A, B and C, which leave no trace in C; and why a CPU lab's kernel crashes. In the
// battery, and in a rehearsal, it gets matrices beside which there is nothing: in the second run of
// a shape a page before their beginning cannot be touched, in the third one behind their end, or up
// to 63 bytes later, as they begin at a multiple of ALIGNMENT there, too. An instruction that does
// is the kernel's, so that its line is known, too.
#define _GNU_SOURCE // dladdr, and what an x86 CPU says of an access
#include "diagnosis/failure.h"
#include "diagnosis/room.h"
#include "verify.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static struct {
    char *page[3]; // beside A, B, C
    size_t size;   // 0: none is set
    struct lab *lab;
} traps;

static void protect(int protection)
{
    for (int m = 0; m < 3; m++)
        if (mprotect(traps.page[m], traps.size, protection) != 0)
            exit_with(EXIT_USAGE,
                      "the pages beside the matrices cannot be protected: has the kernel "
                      "overwritten memory that is not its own?");
}

void lift_traps(void)
{
    end_memory();
    if (traps.size > 0)
        protect(PROT_READ | PROT_WRITE);
    traps.size = 0;
}

// "kernel.c:21 ", where that can be found out. Of what is inlined, the innermost line of the kernel
// counts.
static void name_line(const char *instruction, struct stray *stray)
{
    char said[512];
    Dl_info program, ours;
    if (dladdr(instruction, &program) == 0 || dladdr((const void *)&traps, &ours) == 0 ||
        program.dli_fbase != ours.dli_fbase) // a library's
        return;
    snprintf(said, sizeof said, "addr2line -i -e /proc/%d/exe 0x%lx 2>/dev/null", (int)getpid(),
             (unsigned long)(instruction - (const char *)program.dli_fbase));
    FILE *out = popen(said, "r");
    while (out != NULL && fgets(said, sizeof said, out) != NULL) {
        const char *slash = strrchr(said, '/'), *file = slash != NULL ? slash + 1 : said;
        if (strncmp(file, "kernel", 6) != 0 || stray->line[0] != '\0')
            continue;
        int length = (int)strcspn(file, " \n");
        snprintf(stray->line, sizeof stray->line, "%.*s ", length, file);
    }
    if (out != NULL)
        pclose(out);
}

// Of an x86 CPU, a fault that has no address, and an instruction.
enum { PROTECTION = 13, RETURN = 0xC3 };

void describe_access(const void *at, struct stray *stray)
{
    const ucontext_t *context = at;
    stray->verb = "touches";
#if defined __linux__ && defined __x86_64__
    const greg_t *registers = context->uc_mcontext.gregs;
    if (registers[REG_TRAPNO] != PROTECTION)
        stray->verb = (registers[REG_ERR] & 2) != 0 ? "writes" : "reads";
    name_line((const char *)registers[REG_RIP], stray);
#elif defined __linux__ && defined __aarch64__
    name_line((const char *)context->uc_mcontext.pc, stray);
#else
    (void)context;
#endif
}

// A protection fault, which has no address. Where each register holds one that could be there, it
// is for want of alignment; who returns to what lies on the stack, takes it from there.
static bool is_unaligned(const ucontext_t *context)
{
#if defined __linux__ && defined __x86_64__
    const greg_t *registers = context->uc_mcontext.gregs;
    for (int r = REG_R8; r <= REG_RSP; r++)
        if (registers[r] >> 47 != 0 && registers[r] >> 47 != -1)
            return false;
    return registers[REG_TRAPNO] == PROTECTION &&
           *(const unsigned char *)registers[REG_RIP] != RETURN;
#else
    (void)context;
    return false;
#endif
}

// The last words of a program that crashes. Whatever it has in memory may be overwritten.
static void tell_crash(const ucontext_t *context, const char *lack)
{
    struct stray stray = {0};
    char said[256] = "not in a line of the kernel: has it overwritten what is not its own?\n";
    describe_access(context, &stray);
    if (lack != NULL)
        snprintf(said, sizeof said, "%s%s where there is no memory: %s\n", stray.line, stray.verb,
                 lack);
    else if (stray.line[0] != '\0')
        snprintf(said, sizeof said, "%s%s %s\n", stray.line, stray.verb,
                 is_unaligned(context)
                     ? "an address that is not aligned: _mm256_loadu_ps and its like take any"
                     : "where there is no memory");
    if (write(STDERR_FILENO, said, strlen(said)) < 0)
        return;
}

// An instruction of the kernel's got us here, and none of a library's: stdio may be used.
// Elsewhere, the program ends as it would.
static void trapped(int number, siginfo_t *about, void *context)
{
    struct lab *lab = traps.lab;
    const struct problem *p = &lab->problem;
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    const char *at = about->si_addr, *lack = lack_in_words(what_lacks(at));
    int hit = 3;
    signal(number, SIG_DFL);
    for (int m = 0; m < 3 && traps.size > 0; m++)
        if (at >= traps.page[m] && at < traps.page[m] + traps.size)
            hit = m;
    if (hit == 3) {
        tell_crash(context, lack);
        raise(number);
        return;
    }
    lift_traps();
    begin_findings(p, &lab->finding);
    struct findings *f = &lab->finding;
    for (int m = 0; m < 3; m++)
        f->guard_words[m] = broken_guards(p, all[m], &f->guard_at[m]);
    long bytes = at - (const char *)all[hit]->data, size = sizeof(real);
    f->stray.matrix = "ABC"[hit];
    f->stray.at = (bytes < 0 ? bytes - size + 1 : bytes) / size;
    f->stray.last = (long)all[hit]->rows * all[hit]->cols - 1;
    describe_access(context, &f->stray);
    fail_problem(lab);
    int status = lab_end(lab);
    fflush(stdout);
    _exit(status);
}

// Where guards were left out, a tool looks; and a rank is not alone.
static bool can_watch(const struct lab *lab)
{
    return strcmp(lab->backend, "cpu") == 0 && lab->ranks.count == 0 && !lab->failed &&
           GUARD_BYTES > 0;
}

// What a mask leaves out, SIMDe may read.
static bool can_trap(const struct lab *lab)
{
    return can_watch(lab) && (lab->opt.check || lab->rehearsal) && !config.uses_simde &&
           lab->trial == AS_IT_WAS && GUARD_BYTES <= sysconf(_SC_PAGESIZE);
}

// In other memory, where it ends as a page does, or less than ALIGNMENT before that, and a page of
// its own follows. What it holds is lost.
static void to_page_end(struct matrix *m)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), data = m->bytes - 2 * GUARD_BYTES;
    const size_t whole = (GUARD_BYTES + data + page - 1) / page * page;
    void *memory;
    free((char *)m->block - m->lead);
    if (posix_memalign(&memory, page, whole + page) != 0)
        exit_with(EXIT_USAGE, "no memory for the pages beside the matrices");
    m->lead = (whole - data) / ALIGNMENT * ALIGNMENT - GUARD_BYTES;
    m->block = (char *)memory + m->lead;
    m->data = (real *)((char *)m->block + GUARD_BYTES);
}

void lay_between_traps(struct lab *lab)
{
    if (!can_trap(lab) || lab->run != 2)
        return;
    to_page_end(&lab->problem.A);
    to_page_end(&lab->problem.B);
    to_page_end(&lab->problem.C);
}

void set_traps(struct lab *lab)
{
    struct problem *p = &lab->problem;
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (GUARD_BYTES > 0 && lab->ranks.count == 0 && (can_watch(lab) || is_emulated(lab)))
        begin_memory();
    if (!can_watch(lab))
        return;
    static char stack[1 << 18]; // the kernel's may be what has no more room
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&own, NULL);
    action.sa_sigaction = trapped;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL); // macOS says so
    traps.lab = lab;
    if (!can_trap(lab) || lab->run == 0 || (lab->run == 1 && page != GUARD_BYTES))
        return;
    traps.size = page;
    for (int m = 0; m < 3; m++) {
        char *begin = (char *)all[m]->data, *end = begin + all[m]->bytes - 2 * GUARD_BYTES;
        traps.page[m] = lab->run == 1 ? begin - page : end + -(uintptr_t)end % page;
    }
    protect(PROT_NONE);
    lab->trapped = true;
}
