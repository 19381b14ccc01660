// SPDX-License-Identifier: MIT
// The judge's hold on a worker: starts it in its sandbox, asks it, and stops all of its threads
// before anything that they could use is touched.
//
//     judge                                    worker, in its sandbox
//     writes A, B and poison in C              stopped
//     starts the clock, lets it go, asks       C = A * B
//     waits                                    answers
//     stops it, sees that all threads stand    stopped
//     stops the clock, looks at C              stopped
//
// The sandbox lets nobody in it start another process, set a timer or ask for a signal, so there is
// nobody who could wake it: see filter.c.
#define _GNU_SOURCE // memfd_create, SCM_CREDENTIALS
#include "judge.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010 // Linux 5.1; older headers lack it
#endif

enum { START_MS = 120000, STOP_MS = 30000, WATCH_MS = 20, PATIENCE = 4, MOST_LOGGED = 64 << 10 };
enum { PAGE = 4096 };
static_assert(MARGIN == GUARD_BYTES, "what guards a matrix at an edge lies in the margin");

// ---- memory ------------------------------------------------------------------------------------
//     file      [ margin | room | ...                  ... | room | margin ]
//     worker    nothing  [                                       ]  nothing
//     AT_BEGINNING       [matrix                                 ]
//     AT_END             [                                 matrix]
static size_t elements(const struct matrix *m)
{
    return (size_t)m->rows * (size_t)m->cols;
}

static void place(struct matrix *m, const struct shared *in, int rows, int cols, enum edge edge)
{
    *m = (struct matrix){.rows = rows, .cols = cols};
    const size_t bytes = elements(m) * sizeof(real), end = in->size - MARGIN;
    const size_t align = edge == PAGES_AT_END ? PAGE : ALIGNMENT;
    const size_t first = edge == AT_BEGINNING ? (size_t)MARGIN
                         : edge == WITH_ROOM  ? (size_t)MARGIN + ROOM
                                              : (end - bytes) / align * align;
    m->block = in->memory + first - GUARD_BYTES;
    m->data = (real *)(in->memory + first);
    m->bytes = bytes + 2 * (size_t)GUARD_BYTES;
}

// The memory of C before C, or behind it.
static size_t around(const struct worker *w, bool behind, const char **memory)
{
    const struct shared *s = &w->shared[2];
    const struct matrix *C = &w->problem.C;
    const char *begin = (const char *)C->data, *end = (const char *)(C->data + elements(C));
    *memory = behind ? end : s->memory;
    return (size_t)(behind ? s->memory + s->size - end : begin - s->memory);
}

static bool is_poisoned(const char *memory, size_t size)
{
    return size < sizeof(real) || (is_poison(*(const real *)memory) &&
                                   memcmp(memory, memory + sizeof(real), size - sizeof(real)) == 0);
}

long worker_strays(const struct worker *w, long *where)
{
    long strays = 0;
    for (int behind = 0; behind < 2; behind++) {
        const char *memory;
        size_t size = around(w, behind == 1, &memory);
        if (is_poisoned(memory, size))
            continue;
        const real *element = (const real *)memory;
        for (size_t e = 0; e < size / sizeof(real); e++)
            if (!is_poison(element[e]) && strays++ == 0)
                *where = (long)(element + e - w->problem.C.data);
    }
    return strays;
}

void worker_shape(struct worker *w, int M, int N, int K, enum edge edge)
{
    struct problem *p = &w->problem;
    struct shared *s = w->shared;
    long where;
    if (w->without & EDGES)
        edge = WITH_ROOM;
    if (p->C.data != NULL && worker_strays(w, &where) > 0)
        memset(s[2].memory, POISON_BYTE, s[2].size);
    else if (p->C.data != NULL) // not as poison_output(): what is around the next C is no number
        memset(p->C.block, POISON_BYTE, p->C.bytes);
    *p = (struct problem){.M = M, .N = N, .K = K, .tile = p->tile};
    place(&p->A, &s[0], M, K, edge);
    place(&p->B, &s[1], K, N, edge);
    place(&p->C, &s[2], M, N, edge);
}

// A file that is nowhere, of a fixed size, in the judge's memory.
static void share(struct shared *s, const char *name, size_t most)
{
    s->size = (most + 2 * (size_t)ROOM + PAGE - 1) / PAGE * PAGE + 2 * (size_t)MARGIN;
    s->file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (s->file < 0 || ftruncate(s->file, (off_t)s->size) != 0)
        give_up("no shared memory for %s: %s", name, strerror(errno));
    s->memory = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->file, 0);
    if (s->memory == MAP_FAILED || fcntl(s->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        give_up("no shared memory for %s: %s", name, strerror(errno));
}

void worker_create(struct worker *w, const size_t most_bytes[MATRICES])
{
    static const char *const names[] = {"A", "B", "C"};
    struct shared *s = w->shared;
    w->pid = w->child = 0;
    for (int m = 0; m < MATRICES; m++)
        share(&s[m], names[m], most_bytes[m]);
    memset(s[2].memory, POISON_BYTE, s[2].size);
    // Nobody writes to the inputs but through the memory that the judge has by now.
    for (int m = 0; m < 2; m++)
        if (!(w->without & READONLY) && fcntl(s[m].file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) != 0)
            give_up("cannot make the inputs read-only: %s: this takes Linux 5.1", strerror(errno));
}

// ---- its process -------------------------------------------------------------------------------
// In the child, which becomes the sandbox: files 0 to 6 and nothing else of the judge.
static void become(const struct worker *w, int control, int output)
{
    int kept[] = {open("/dev/null", O_RDONLY), output, output, w->shared[0].file, w->shared[1].file,
                  w->shared[2].file,           control};
    enum { KEPT = sizeof kept / sizeof kept[0], ABOVE = 64 };
    for (int f = 0; f < KEPT; f++) // first out of the way
        kept[f] = fcntl(kept[f], F_DUPFD, ABOVE);
    for (int f = 0; f < KEPT; f++)
        if (dup2(kept[f], f) != f)
            _exit(126);
    syscall(SYS_close_range, KEPT, ~0U, 0);
    enter_shared_cores();
    execvp(w->command[0], w->command);
    dprintf(2, "cannot run %s: %s\n", w->command[0], strerror(errno));
    _exit(127);
}

static void note_output(struct worker *w)
{
    char text[4096];
    ssize_t count;
    while ((count = read(w->output, text, sizeof text)) > 0) {
        long room = MOST_LOGGED - w->logged, some = count < room ? count : room;
        if (w->log != NULL && some > 0)
            w->logged += (long)fwrite(text, 1, (size_t)some, w->log);
    }
}

// Waits for the sandbox, and says how it ended where nothing else does.
static void reap(struct worker *w)
{
    int status = 0, signal = 0;
    double patience = now_ms() + STOP_MS;
    while (waitpid(w->child, &status, WNOHANG) == 0) {
        note_output(w); // or it would wait for room
        if (now_ms() > patience)
            kill(w->child, SIGKILL);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    note_output(w);
    if (WIFSIGNALED(status))
        signal = WTERMSIG(status);
    else if (WEXITSTATUS(status) > 128) // what bwrap makes of a signal
        signal = WEXITSTATUS(status) - 128;
    w->trespassed = w->trespassed || signal == SIGSEGV || signal == SIGBUS;
    if (w->end[0] == '\0' && signal != 0)
        snprintf(w->end, sizeof w->end, "crashed with signal %d (%s)", signal, strsignal(signal));
    else if (w->end[0] == '\0')
        snprintf(w->end, sizeof w->end, "ended by itself, with status %d", WEXITSTATUS(status));
    close(w->control);
    close(w->output);
    if (w->pidfd >= 0)
        close(w->pidfd);
    w->child = w->pid = 0;
}

static void worker_stop(struct worker *w)
{
    if (w->child == 0)
        return;
    if (w->pid != 0)
        syscall(SYS_pidfd_send_signal, w->pidfd, SIGKILL, NULL, 0);
    kill(-w->child, SIGKILL); // the sandbox dies with it
    kill(w->child, SIGKILL);
    if (w->end[0] == '\0')
        snprintf(w->end, sizeof w->end, "stopped by the judge");
    reap(w);
}

bool worker_lives(const struct worker *w)
{
    return w->child != 0;
}

// It ended, or does what it must not do.
static void lose(struct worker *w, const char *why)
{
    if (why != NULL)
        snprintf(w->end, sizeof w->end, "%s", why);
    if (why != NULL)
        worker_stop(w);
    else
        reap(w);
}

// ---- stopping ----------------------------------------------------------------------------------
// Is this thread of the worker in one of these states?
static bool stands(int folder, const char *thread, const char *states)
{
    char path[sizeof((struct dirent *)0)->d_name + 8], text[512];
    snprintf(path, sizeof path, "%s/stat", thread);
    int file = openat(folder, path, O_RDONLY);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (size <= 0) // it is no more
        return true;
    text[size] = '\0';
    const char *state = strrchr(text, ')'); // a name may have a bracket in it
    return state != NULL && state[1] == ' ' && strchr(states, state[2]) != NULL;
}

static bool all_stand(const struct worker *w, const char *states)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)w->pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return true;
    bool all = true;
    for (struct dirent *entry; all && (entry = readdir(folder)) != NULL;)
        all = !isdigit((unsigned char)entry->d_name[0]) ||
              stands(dirfd(folder), entry->d_name, states);
    closedir(folder);
    return all;
}

// False: it does not stop.
static bool freeze(struct worker *w)
{
    double patience = now_ms() + STOP_MS;
    bool waits = (w->without & FREEZE) != 0; // until its threads have nothing more to do
    if (!waits)
        syscall(SYS_pidfd_send_signal, w->pidfd, SIGSTOP, NULL, 0);
    while (!all_stand(w, waits ? "TtZXS" : "TtZX")) {
        if (now_ms() > patience)
            return false;
        if (!w->timed) // the core may be what it waits for
            sched_yield();
    }
    return true;
}

static void thaw(struct worker *w)
{
    syscall(SYS_pidfd_send_signal, w->pidfd, SIGCONT, NULL, 0);
}

// ---- asking ------------------------------------------------------------------------------------
enum said { ANSWER, SILENCE, GONE, NONSENSE, GREED };

// One message; with it comes who sent it, which the kernel vouches for.
static enum said receive(struct worker *w, struct answer *answer, pid_t *sender)
{
    char space[CMSG_SPACE(sizeof(struct ucred))];
    struct iovec part = {answer, sizeof *answer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    ssize_t size = recvmsg(w->control, &message, MSG_DONTWAIT);
    if (size < 0)
        return errno == EAGAIN || errno == EINTR ? SILENCE : GONE;
    if (size == 0)
        return GONE;
    struct cmsghdr *about = CMSG_FIRSTHDR(&message);
    if (size != sizeof *answer || about == NULL || about->cmsg_type != SCM_CREDENTIALS)
        return NONSENSE;
    struct ucred credentials;
    memcpy(&credentials, CMSG_DATA(about), sizeof credentials);
    *sender = credentials.pid;
    return ANSWER;
}

// Does it have more memory than it may, by what it uses? A tool reserves more address space than
// there is.
static bool is_greedy(const struct worker *w)
{
    char path[64];
    long pages = 0;
    if (w->most_memory == 0 || w->pid == 0)
        return false;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)w->pid);
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages > w->most_memory / PAGE;
}

// Waits for an answer, and takes what is printed meanwhile, so that nobody waits for room.
static enum said await(struct worker *w, int ms, struct answer *answer, pid_t *sender)
{
    double end = now_ms() + ms;
    for (double left = ms; left > 0; left = end - now_ms()) {
        struct pollfd files[] = {{w->control, POLLIN, 0}, {w->output, POLLIN, 0}};
        int wait = w->most_memory > 0 && left > WATCH_MS ? WATCH_MS : (int)left + 1;
        if (poll(files, 2, wait) < 0 && errno != EINTR)
            return GONE;
        enum said said = files[0].revents != 0 ? receive(w, answer, sender) : SILENCE;
        if (said != SILENCE)
            return said;
        if (is_greedy(w))
            return GREED;
        if (files[1].revents & POLLIN)
            note_output(w);
        else if (files[1].revents != 0) // closed by all who could print: a message may still come
            nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    return SILENCE;
}

// How long a call may go on, in ms: as long as it may have the processor; by the wall clock, less
// what it had to wait for a core, PATIENCE times that; and no longer where all threads wait for
// each other.
static double left_of(const struct worker *w, struct spent before)
{
    struct spent spent = spent_since(w, before);
    double by_processor = w->limit_ms - spent.processor;
    double by_wall = PATIENCE * (double)w->limit_ms - (spent.wall - spent.waited);
    if (all_stand(w, "StTZX"))
        return 0;
    return by_wall < by_processor ? by_wall : by_processor;
}

static enum said await_result(struct worker *w, struct spent before, struct answer *answer,
                              pid_t *sender)
{
    enum said said = SILENCE;
    for (double left = w->limit_ms; said == SILENCE && left > 0;) {
        said = await(w, left > WATCH_MS ? (int)left : WATCH_MS, answer, sender);
        if (said == SILENCE)
            left = left_of(w, before);
    }
    // The answer may have come, and all threads stand since, while we had no core.
    return said == SILENCE ? receive(w, answer, sender) : said;
}

// What a worker says of its end, in our words.
static const char *trespass(const struct worker *w, const struct answer *answer, char why[96])
{
    const struct matrix *matrices[] = {&w->problem.A, &w->problem.B, &w->problem.C};
    const bool known = answer->matrix > 0 && answer->matrix <= MATRICES;
    if (answer->matrix == MATRICES + MEMORY_LACKS || answer->matrix == MATRICES + STACK_LACKS)
        return lack_in_words((enum lack)(answer->matrix - MATRICES));
    if (!known)
        return "answered what it was not asked";
    const int m = (int)answer->matrix - 1;
    const long long have = (long long)elements(matrices[m]), at = answer->element;
    if (at >= 0 && at < have)
        snprintf(why, 96, "writes to %c, which is to be read alone", 'A' + m);
    else
        snprintf(why, 96, "%s outside %c: element %lld, and the last is %lld",
                 m < 2 ? "reads" : "reads or writes", 'A' + m, at, have - 1);
    return why;
}

bool worker_start(struct worker *w)
{
    int control[2], output[2], one = 1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0 ||
        setsockopt(control[0], SOL_SOCKET, SO_PASSCRED, &one, sizeof one) != 0 ||
        pipe2(output, O_CLOEXEC) != 0)
        give_up("cannot start a worker: %s", strerror(errno));
    w->end[0] = '\0';
    w->too_slow = w->trespassed = false;
    w->control = control[0];
    w->output = output[0];
    w->pidfd = -1;
    w->pid = 0;
    fcntl(w->output, F_SETFL, O_NONBLOCK);
    w->child = fork();
    if (w->child < 0)
        give_up("cannot start a worker: %s", strerror(errno));
    if (w->child == 0) {
        setpgid(0, 0);
        become(w, control[1], output[1]);
    }
    close(control[1]);
    close(output[1]);
    struct answer answer;
    pid_t sender = 0;
    enum said said = await(w, START_MS, &answer, &sender);
    if (said == ANSWER && answer.token == 0 && sender > 0) {
        w->pid = sender;
        w->pidfd = (int)syscall(SYS_pidfd_open, sender, 0);
    }
    if (w->pidfd >= 0 && freeze(w))
        return true;
    w->pid = 0;
    w->too_slow = said == SILENCE;
    lose(w, said == GONE      ? NULL
            : said == SILENCE ? "was not ready in time"
                              : "said something else before the first request");
    return false;
}

// Who has copies may be under a tool, which says at its end what it found last.
void worker_dismiss(struct worker *w)
{
    if (w->child == 0 || !w->copies) {
        worker_stop(w);
        return;
    }
    shutdown(w->control, SHUT_WR);
    thaw(w);
    reap(w);
}

// Milliseconds, or negative.
static double ask(struct worker *w, enum phase phase)
{
    const struct problem *p = &w->problem;
    struct request request = {.phase = phase, .M = p->M, .N = p->N, .K = p->K};
    struct answer answer = {0};
    pid_t sender;
    request.token = draw(UINT64_MAX);
    request.at[0] = (uint64_t)((const char *)p->A.data - w->shared[0].memory);
    request.at[1] = (uint64_t)((const char *)p->B.data - w->shared[1].memory);
    request.at[2] = (uint64_t)((const char *)p->C.data - w->shared[2].memory);
    struct spent before = spent_so_far(w);
    thaw(w);
    if (send(w->control, &request, sizeof request, MSG_NOSIGNAL) != sizeof request) {
        lose(w, NULL);
        return -1;
    }
    enum said said = await_result(w, before, &answer, &sender);
    char why[96];
    if (said == GONE) {
        lose(w, NULL);
        return -1;
    }
    if (said == GREED) {
        snprintf(why, sizeof why, "takes more than %ld MiB of memory", w->most_memory >> 20);
        lose(w, why);
        return -1;
    }
    if (said == SILENCE) {
        snprintf(why, sizeof why, "no result within %g s: a loop that does not end?",
                 w->limit_ms / 1e3);
        w->too_slow = true;
        w->used_ms += w->limit_ms;
        lose(w, why);
        return -1;
    }
    if (!freeze(w)) {
        lose(w, "does not stop when it is told to");
        return -1;
    }
    w->spent = spent_since(w, before);
    if (said == NONSENSE || answer.token != request.token || answer.matrix != 0) {
        w->trespassed = said == ANSWER && answer.matrix > 0 && answer.matrix <= MATRICES;
        lose(w, said == ANSWER ? trespass(w, &answer, why) : "answered what it was not asked");
        return -1;
    }
    w->used_ms += w->spent.processor < w->spent.wall ? w->spent.processor : w->spent.wall;
    return w->clock == PROCESSOR ? w->spent.processor : w->spent.wall;
}

// At the first one, which is the one that the workers take.
static void look_at_gpu(struct gpu *gpu)
{
    struct clocks now = clocks_now(NULL);
    if (!now.whole)
        return;
    clocks_join(&gpu->clocks, now);
    gpu->calls++;
    gpu->throttled += (now.limits & THROTTLED) != 0;
}

// Each call lets all of a worker's threads go and stops them: a driver of OpenCL has two dozen for
// a GPU, a kernel a pool of them. What that takes the least of a few calls shows that do nothing.
static double usual_wait(struct worker *w)
{
    double least = INFINITY;
    for (int again = 0; again < 3; again++) {
        if (ask(w, NOTHING) < 0)
            return -1;
        least = fmin(least, w->spent.waited);
    }
    return least;
}

double worker_call(struct worker *w, enum phase last)
{
    bool around = w->copies && last == RUN;
    if (around && ask(w, LOAD) < 0)
        return -1;
    double usual = w->timed && w->clock == WALL && last == RUN ? usual_wait(w) : 0;
    if (usual < 0)
        return -1;
    double ms = ask(w, last);
    struct spent spent = w->spent;
    spent.usual = usual;
    if (w->gpu != NULL && ms >= 0)
        look_at_gpu(w->gpu);
    if (around && ms >= 0 && ask(w, FETCH) < 0)
        return -1;
    w->spent = spent;
    return ms;
}
