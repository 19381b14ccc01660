// SPDX-License-Identifier: MIT
// Reads outside A, B and C, which leave no trace in C. In the battery, and in a rehearsal, a CPU lab's kernel gets matrices beside
// which there is nothing: in the second run of a shape a page before their beginning cannot be touched, in the
// third one behind their end. An instruction that does is the kernel's, so that its line is known, too.
#define _GNU_SOURCE // dladdr, and what an x86 CPU says of an access
#include "diagnosis/failure.h"
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
            leave(EXIT_USAGE, "the pages beside the matrices cannot be protected");
}

void lift_traps(void)
{
    if (traps.size > 0)
        protect(PROT_READ | PROT_WRITE);
    traps.size = 0;
}

// "kernel.c:21 ", where that can be found out. Of what is inlined, the innermost line of the kernel counts.
static void name_line(const char *instruction, struct stray *stray)
{
    char said[512];
    Dl_info program;
    if (dladdr(instruction, &program) == 0)
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

// What an access is and where it comes from, as far as the CPU says so.
static void describe(const ucontext_t *context, struct stray *stray)
{
    stray->verb = "touches";
#if defined __linux__ && defined __x86_64__
    const greg_t *registers = context->uc_mcontext.gregs;
    stray->verb = (registers[REG_ERR] & 2) != 0 ? "writes" : "reads";
    name_line((const char *)registers[REG_RIP], stray);
#elif defined __linux__ && defined __aarch64__
    name_line((const char *)context->uc_mcontext.pc, stray);
#else
    (void)context;
#endif
}

// An instruction of the kernel's got us here, and none of a library's: stdio may be used. Elsewhere, the
// instruction is done again, and ends the program.
static void trapped(int number, siginfo_t *about, void *context)
{
    struct lab *lab = traps.lab;
    const struct problem *p = &lab->problem;
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    const char *at = about->si_addr;
    int hit = 3;
    signal(number, SIG_DFL);
    for (int m = 0; m < 3 && traps.size > 0; m++)
        if (at >= traps.page[m] && at < traps.page[m] + traps.size)
            hit = m;
    if (hit == 3)
        return;
    lift_traps();
    begin_findings(p, &lab->finding);
    struct stray *stray = &lab->finding.stray;
    long bytes = at - (const char *)all[hit]->data, size = sizeof(real);
    stray->matrix = "ABC"[hit];
    stray->at = (bytes < 0 ? bytes - size + 1 : bytes) / size;
    stray->last = (long)all[hit]->rows * all[hit]->cols - 1;
    describe(context, stray);
    fail_problem(lab);
    int status = lab_end(lab);
    fflush(stdout);
    _exit(status);
}

// What a mask leaves out, SIMDe may read. Where guards were left out, a tool looks; and ranks have parts of
// the matrices, which are elsewhere.
static bool can_trap(const struct lab *lab)
{
    long guard = (long)GUARD_BYTES, page = sysconf(_SC_PAGESIZE);
    return (lab->opt.check || lab->rehearsal) && !config.uses_simde &&
           strcmp(lab->backend, "cpu") == 0 && lab->ranks.count == 0 && !lab->failed &&
           lab->trial == AS_IT_WAS && guard > 0 && guard <= page;
}

// In other memory, where it ends as a page does, and a page of its own follows. What it holds is lost.
static void to_page_end(struct matrix *m)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), data = m->bytes - 2 * GUARD_BYTES;
    const size_t whole = (GUARD_BYTES + data + page - 1) / page * page;
    void *memory;
    free((char *)m->block - m->lead);
    if (posix_memalign(&memory, page, whole + page) != 0)
        leave(EXIT_USAGE, "no memory for the pages beside the matrices");
    m->lead = whole - data - GUARD_BYTES;
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
    if (!can_trap(lab) || lab->run == 0 || (lab->run == 1 && page != GUARD_BYTES))
        return;
    traps.lab = lab;
    traps.size = page;
    for (int m = 0; m < 3; m++)
        traps.page[m] = lab->run == 1
                            ? (char *)all[m]->data - page
                            : (char *)(all[m]->data + (size_t)all[m]->rows * (size_t)all[m]->cols);
    protect(PROT_NONE);
    lab->trapped = true;
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    action.sa_sigaction = trapped;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL); // macOS says so
}
