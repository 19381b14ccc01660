// SPDX-License-Identifier: MIT
// A guest's process: see process.h. Programs in a sandbox are supported on Linux only.
#define _GNU_SOURCE // pipe2, SCM_CREDENTIALS
#include "guest/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

enum { PATIENCE = 4 }; // wall-clock limit, in processor limits
enum { STOP_MS = 30000, WATCH_MS = 20, MOST_LOGGED = 64 << 10 };

// ---- its start and its end --------------------------------------------------------------------
// The program inherits the files 0 to 3 and no other.
__attribute__((noreturn)) static void become(char **command, int socket, int output)
{
    int kept[] = {open("/dev/null", O_RDONLY), output, output, socket};
    enum { KEPT = sizeof kept / sizeof kept[0], ABOVE = 64 };
    for (int f = 0; f < KEPT; f++) // out of the way first
        kept[f] = fcntl(kept[f], F_DUPFD, ABOVE);
    for (int f = 0; f < KEPT; f++)
        if (dup2(kept[f], f) != f)
            _exit(126);
#ifdef SYS_close_range
    syscall(SYS_close_range, KEPT, ~0U, 0);
#endif
    execvp(command[0], command);
    dprintf(2, "cannot run %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

static void prepare(const struct process *g, int host)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    close(host);
    if (g->executed)
        setpgid(0, 0);
}

#ifdef __APPLE__
enum { KIND = SOCK_DGRAM };
#else
enum { KIND = SOCK_SEQPACKET };
#endif

bool start_process(struct process *g, char **command)
{
    int ends[2], output[2] = {-1, -1};
    if (g->socket > 0) // of the previous guest
        close(g->socket);
    g->executed = command != NULL;
    g->pid = 0;
    g->handle = -1;
    if (socketpair(AF_UNIX, KIND, 0, ends) != 0 || (g->executed && pipe(output) != 0))
        exit_with(EXIT_USAGE, "no socket to the process of the kernel: %s", strerror(errno));
    fflush(NULL);
    g->child = fork();
    if (g->child < 0)
        exit_with(EXIT_USAGE, "no process for the kernel: %s", strerror(errno));
    if (g->child == 0) {
        prepare(g, ends[0]);
        g->socket = ends[1];
        if (g->executed)
            become(command, ends[1], output[1]);
        return false;
    }
    close(ends[1]);
    g->socket = ends[0];
    g->output = output[0];
    if (g->executed) {
        close(output[1]);
        fcntl(g->output, F_SETFL, O_NONBLOCK);
    } else
        g->pid = g->child;
#ifdef __linux__
    const int one = 1;
    setsockopt(g->socket, SOL_SOCKET, SO_PASSCRED, &one, sizeof one);
#endif
    return true;
}

static void note_output(struct process *g)
{
    char text[4096];
    ssize_t count;
    while (g->output >= 0 && (count = read(g->output, text, sizeof text)) > 0) {
        const long room = MOST_LOGGED - g->logged, some = count < room ? count : room;
        if (g->log != NULL && some > 0)
            g->logged += (long)fwrite(text, 1, (size_t)some, g->log);
    }
    if (g->output >= 0 && count == 0) { // all writers have closed it
        close(g->output);
        g->output = -1;
    }
}

static void forget(struct process *g)
{
    const int files[] = {g->output, g->handle};
    note_output(g);
    for (int f = 0; f < 2; f++)
        if (files[f] >= 0)
            close(files[f]);
    g->output = g->handle = -1;
    g->child = g->pid = 0;
}

bool has_ended(struct process *g)
{
    if (g->child != 0 && waitpid(g->child, &g->status, WNOHANG) == g->child)
        forget(g);
    return g->child == 0;
}

void kill_process(struct process *g)
{
    if (g->child == 0)
        return;
    if (g->executed)
        kill(-g->child, SIGKILL); // the sandbox, with all processes in it
    kill(g->child, SIGKILL);
    waitpid(g->child, &g->status, 0);
    forget(g);
}

bool await_end(struct process *g, int ms)
{
    const double start = now_ms();
    while (!has_ended(g) && now_ms() - start < ms) {
        note_output(g); // a full pipe would block the guest
        poll(NULL, 0, 1);
    }
    const bool by_itself = g->child == 0;
    kill_process(g);
    return by_itself;
}

int signal_of(const struct process *g)
{
    enum { SHELL = 128 }; // exit status of bubblewrap and of a shell
    if (WIFSIGNALED(g->status))
        return WTERMSIG(g->status);
    return g->executed && WEXITSTATUS(g->status) > SHELL ? WEXITSTATUS(g->status) - SHELL : 0;
}

void end_in_words(const struct process *g, char *words, size_t size)
{
    const int number = signal_of(g);
    if (number != 0)
        snprintf(words, size, "crashed with signal %d (%s)", number, strsignal(number));
    else
        snprintf(words, size, "ended by itself, with status %d", WEXITSTATUS(g->status));
}

// ---- its threads ------------------------------------------------------------------------------
#ifdef __linux__
// The beginning of /proc/PID/task/THREAD/NAME. False: the thread has ended.
static bool read_about(int folder, const char *thread, const char *name, char *text, size_t size)
{
    char path[sizeof((struct dirent *)0)->d_name + 16];
    snprintf(path, sizeof path, "%s/%s", thread, name);
    const int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    const ssize_t count = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    text[count > 0 ? count : 0] = '\0';
    return count > 0;
}

// The sum of `of` over all threads.
static double sum_of_threads(pid_t pid, double (*of)(int folder, const char *thread))
{
    char path[64];
    double sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (isdigit((unsigned char)entry->d_name[0]))
            sum += of(dirfd(folder), entry->d_name);
    closedir(folder);
    return sum;
}

static char state_of(int folder, const char *thread)
{
    char text[512];
    const char *end;
    if (!read_about(folder, thread, "stat", text, sizeof text))
        return 'X';
    end = strrchr(text, ')'); // a name may contain a bracket
    return end != NULL && end[1] == ' ' ? end[2] : 'R';
}

static double moves(int folder, const char *thread)
{
    return strchr("TtZX", state_of(folder, thread)) == NULL;
}

static double computes(int folder, const char *thread)
{
    return strchr("StTZX", state_of(folder, thread)) == NULL;
}

// The second number of a thread's schedstat, in nanoseconds.
static double delay_of(int folder, const char *thread)
{
    char text[128], *end = text;
    if (read_about(folder, thread, "schedstat", text, sizeof text))
        strtoull(text, &end, 10);
    return (double)strtoull(end, NULL, 10);
}

double run_delay(pid_t pid)
{
    return sum_of_threads(pid, delay_of) * 1e-6;
}

static bool all_wait(const struct process *g)
{
    return sum_of_threads(g->pid, computes) == 0;
}

static void send_signal(const struct process *g, int number)
{
    if (g->handle >= 0)
        syscall(SYS_pidfd_send_signal, g->handle, number, NULL, 0);
    else
        kill(g->pid, number);
}

// SIGSTOP is repeated, because a SIGCONT cancels it. A thread may start during the first look.
static bool all_stand(struct process *g)
{
    const double end = now_ms() + STOP_MS;
    while (now_ms() < end) {
        send_signal(g, SIGSTOP);
        if (sum_of_threads(g->pid, moves) == 0 && sum_of_threads(g->pid, moves) == 0)
            return true;
        if (!g->timed) // the guest may be waiting for this core
            sched_yield();
    }
    return false;
}
#else
double run_delay(pid_t pid)
{
    (void)pid;
    return 0;
}

static bool all_wait(const struct process *g)
{
    (void)g;
    return false;
}

static void send_signal(const struct process *g, int number)
{
    kill(g->pid, number);
}

static bool all_stand(struct process *g)
{
    (void)g;
    return false;
}
#endif

bool freeze(struct process *g)
{
    int status;
    if (g->pid == 0)
        return true;
    if (g->executed)
        return all_stand(g);
    send_signal(g, SIGSTOP); // waitpid() reports it once all threads have stopped
    if (waitpid(g->pid, &status, WUNTRACED) == g->pid && !WIFSTOPPED(status)) {
        g->status = status;
        forget(g);
    }
    return true;
}

void interrupt(struct process *g)
{
    if (g->pid != 0)
        send_signal(g, SIGXCPU);
}

void thaw(struct process *g)
{
    if (g->pid != 0)
        send_signal(g, SIGCONT);
}

double processor_ms(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

bool is_over(const struct process *g, double wall, double processor, double waited, double most)
{
    return wall >= most && (processor > most || wall - waited > PATIENCE * most || all_wait(g));
}

// ---- its problem ------------------------------------------------------------------------------
void order_problem(const struct process *g, struct problem *p, bool in_place)
{
    const struct order order = {.kind = PROBLEM, .M = p->M, .N = p->N, .K = p->K};
    int files[FILES];
    if (!create_files(p, files) || !map_matrices(p, files, PROT_READ | PROT_WRITE))
        exit_with(EXIT_USAGE, "no memory for %d x %d x %d: choose a smaller size", p->M, p->N,
                  p->K);
    if (!seal_files(files, in_place) && g->executed) // for a fork read-only pages will do
        exit_with(EXIT_USAGE, "the inputs cannot be sealed: this takes Linux 5.1");
    send_order(g->socket, order, files);
    for (int f = 0; f < FILES; f++)
        close(files[f]);
}

// ---- its answers ------------------------------------------------------------------------------
// A kernel may have forged the answer: texts are terminated, and numbers stay within tables.
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

// There is no space for file descriptors, so the system closes those that a guest sends.
#ifdef __linux__
enum { SPACE = CMSG_SPACE(sizeof(struct ucred)), CLOSE_ON_EXEC = MSG_CMSG_CLOEXEC };
#else
enum { SPACE = 1, CLOSE_ON_EXEC = 0 };
#endif

// The first answer carries the credentials of its sender, which the system guarantees.
static void meet(struct process *g, const struct msghdr *message)
{
#ifdef __linux__
    struct ucred credentials;
    const struct cmsghdr *about = CMSG_FIRSTHDR(message);
    if (g->pid != 0 || about == NULL || about->cmsg_type != SCM_CREDENTIALS)
        return;
    memcpy(&credentials, CMSG_DATA(about), sizeof credentials);
    g->pid = credentials.pid;
    g->handle = (int)syscall(SYS_pidfd_open, g->pid, 0);
#else
    (void)g;
    (void)message;
#endif
}

// Resident memory is compared with the limit: a tool reserves more addresses than there is memory.
static bool is_greedy(const struct process *g)
{
    char path[64];
    unsigned long pages = 0;
    if (g->most == 0 || g->pid == 0)
        return false;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)g->pid);
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%*d %lu", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE) > g->most;
}

static ssize_t receive(struct process *g, struct answer *answer)
{
    char space[SPACE];
    struct iovec part = {answer, sizeof *answer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    const ssize_t size = recvmsg(g->socket, &message, MSG_DONTWAIT | CLOSE_ON_EXEC);
    if (size == sizeof *answer) {
        meet(g, &message);
        bound(answer);
    }
    return size;
}

// Reads the output meanwhile, so that the guest does not block.
enum heard hear(struct process *g, struct answer *answer, int ms)
{
    const double end = now_ms() + ms;
    for (;;) {
        const bool ended = has_ended(g); // its last answer may still be there
        const double left = end - now_ms();
        const int wait = g->most > 0 && left > WATCH_MS ? WATCH_MS : left > 0 ? (int)left + 1 : 0;
        struct pollfd files[] = {{g->socket, POLLIN, 0}, {g->output, POLLIN, 0}};
        poll(files, 2, ended ? 0 : wait);
        note_output(g);
        const ssize_t size = receive(g, answer);
        if (size == sizeof *answer)
            return ANSWER;
        if (ended || size == 0)
            return GONE;
        if (is_greedy(g))
            return GREEDY;
        if (left <= 0)
            return NOTHING;
    }
}
