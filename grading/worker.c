// SPDX-License-Identifier: MIT
// The judge's hold on a worker: starts it in its sandbox, asks it, and stops all of its threads
// before anything that they could use is touched.
//
//     judge                                    worker, a guest in its sandbox
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

enum {
    START_MS = 120000,
    STOP_MS = 30000,
    CLOSING_MS = 2000,
    WATCH_MS = 20,
    PATIENCE = 4,
    MOST_LOGGED = 64 << 10
};
enum { PAGE = 4096 };

// ---- its process -------------------------------------------------------------------------------
// In the child, which becomes the sandbox: files 0 to 3 and nothing else of the judge.
static void become(const struct worker *w, int control, int output)
{
    int kept[] = {open("/dev/null", O_RDONLY), output, output, control};
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

// Waits for the sandbox, which may take so long, and says how it ended where nothing else does.
static void reap(struct worker *w, int ms)
{
    int status = 0, signal = 0;
    double patience = now_ms() + ms;
    while (waitpid(w->child, &status, WNOHANG) == 0) {
        note_output(w); // or it would wait for room
        if (now_ms() > patience) {
            w->too_slow = true;
            kill(w->child, SIGKILL);
        }
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
    reap(w, STOP_MS);
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
        reap(w, CLOSING_MS);
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
    const char *states = waits ? "TtZXS" : "TtZX";
    for (;;) {
        if (!waits) // again, as a SIGCONT of its own takes one away
            syscall(SYS_pidfd_send_signal, w->pidfd, SIGSTOP, NULL, 0);
        if (all_stand(w, states) &&
            all_stand(w, states)) // a thread may begin behind the first look
            return true;
        if (now_ms() > patience)
            return false;
        if (!w->timed) // the core may be what it waits for
            sched_yield();
    }
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

// What a guest says of its end, in our words.
static const char *end_in_words(const struct worker *w, struct answer *answer, char why[96])
{
    const struct matrix *all[] = {&w->problem.A, &w->problem.B, &w->problem.C};
    const long long at = answer->element;
    answer->reason[sizeof answer->reason - 1] = '\0';
    if (answer->kind == LEAVES)
        snprintf(why, 96, "ended by itself: %.78s", answer->reason);
    else if (answer->kind != CRASHES)
        return "answered what it was not asked";
    else if (answer->refused == MEMORY_LACKS || answer->refused == STACK_LACKS)
        return lack_in_words(answer->refused);
    else if (answer->near < 0 || answer->near > 2)
        return NULL; // its signal says it
    else if (at >= 0 && at < (long long)elements_of(all[answer->near]))
        snprintf(why, 96, "writes to %c, which is to be read alone", 'A' + answer->near);
    else
        snprintf(why, 96, "%s outside %c: element %lld, and the last is %lld",
                 answer->access == WRITES ? "writes" : "reads", 'A' + answer->near, at,
                 (long long)elements_of(all[answer->near]) - 1);
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
    w->has_problem = false;
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
    if (said == ANSWER && answer.kind == READY && sender > 0) {
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

void worker_dismiss(struct worker *w, bool by_itself)
{
    if (w->child == 0 || !by_itself) {
        worker_stop(w);
        return;
    }
    for (int loop = 0; loop < 2; loop++) // the runs of this problem, and the problems
        send_order(w->control, (struct order){.kind = NO_MORE}, NULL);
    thaw(w);
    reap(w, STOP_MS);
}

// Milliseconds, or negative. The answer's kind is DONE.
static double ask(struct worker *w, struct order order)
{
    struct answer answer = {0};
    pid_t sender;
    struct spent before = spent_so_far(w);
    thaw(w);
    send_order(w->control, order, NULL);
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
    if (said == ANSWER && answer.kind != DONE) {
        const char *end = end_in_words(w, &answer, why);
        lose(w, end);
        if (end != NULL)
            w->trespassed = answer.kind == CRASHES && answer.near >= 0 && answer.near <= 2 &&
                            answer.access != WRITES;
        return -1;
    }
    if (!freeze(w)) {
        lose(w, "does not stop when it is told to");
        return -1;
    }
    w->spent = spent_since(w, before);
    if (said == NONSENSE) {
        lose(w, "answered what it was not asked");
        return -1;
    }
    if (answer.refused == MEMORY_LACKS && !w->was_refused && w->log != NULL)
        fprintf(w->log, "\nworker: %s\n", lack_in_words(MEMORY_LACKS));
    w->was_refused = w->was_refused || answer.refused == MEMORY_LACKS;
    w->kept = answer.kept;
    w->used_ms += w->spent.processor < w->spent.wall ? w->spent.processor : w->spent.wall;
    return w->clock == PROCESSOR ? w->spent.processor : w->spent.wall;
}

// Each call lets all of a worker's threads go and stops them: a driver of OpenCL has two dozen for
// a GPU, a kernel a pool of them. What that takes the least of a few calls shows that do nothing.
// Asked before A and B are written, as who is let go after that could compute.
static double usual_wait(struct worker *w)
{
    double least = INFINITY;
    if (!w->timed || w->clock != WALL || !worker_lives(w))
        return 0;
    for (int again = 0; again < 3; again++) {
        if (ask(w, (struct order){.kind = ECHO}) < 0)
            return 0;
        least = fmin(least, w->spent.waited);
    }
    return least;
}

// ---- a problem ---------------------------------------------------------------------------------
static void open_problem(struct worker *w, int M, int N, int K)
{
    struct problem *p = &w->problem;
    const struct tile tile = p->tile;
    int files[FILES];
    unmap_matrices(p);
    size_problem(p, tile, M, N, K);
    if (!create_files(p, files) || !map_matrices(p, files, PROT_READ | PROT_WRITE))
        give_up("no shared memory for %d x %d x %d: %s", M, N, K, strerror(errno));
    if (!seal_files(files, w->in_place && !(w->without & READONLY)))
        give_up("cannot make the inputs read-only: %s: this takes Linux 5.1", strerror(errno));
    if (worker_lives(w)) {
        if (w->has_problem)
            send_order(w->control, (struct order){.kind = NO_MORE}, NULL);
        send_order(w->control, (struct order){.kind = PROBLEM, .M = M, .N = N, .K = K}, files);
        w->has_problem = true;
    }
    for (int f = 0; f < FILES; f++)
        close(files[f]);
    if (worker_lives(w)) // it has its memory, and its device's, before any time is taken
        ask(w, (struct order){.kind = ECHO});
}

void worker_shape(struct worker *w, int M, int N, int K, enum edge edge)
{
    const struct problem *p = &w->problem;
    if (!w->has_problem || p->M != M || p->N != N || p->K != K)
        open_problem(w, M, N, K);
    w->edge = !w->in_place || (w->without & EDGES) ? WITH_ROOM : edge;
    place_matrices(&w->problem, w->edge);
    w->usual = usual_wait(w);
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

static struct order run_of(const struct worker *w, int launches)
{
    return (struct order){.kind = launches > 0 ? RUN : ECHO, .launches = launches, .edge = w->edge};
}

double worker_call(struct worker *w, int launches)
{
    if (!worker_lives(w))
        return -1;
    double ms = ask(w, run_of(w, launches));
    if (w->gpu != NULL && ms >= 0)
        look_at_gpu(w->gpu);
    w->spent.usual = w->usual;
    return ms;
}
