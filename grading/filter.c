// SPDX-License-Identifier: MIT
// filter KIND: writes to stdout the program by which the kernel lets a process in the sandbox make
// system calls; bubblewrap loads it (--seccomp). Whatever is not allowed fails with EPERM, as if it
// were forbidden.
//
//     kernel     what C needs to compute, and to get memory
//     threads    and threads of the same process
//     files      and to open files: for a driver that is loaded, as PoCL's
//     tool       for a checking tool: all but what is named below
//     compiler   the same, and it may start processes
//
// No code that is made in memory: a guest in C is a static program, and nothing in it asks for
// pages to execute. A driver's libraries are mapped, after which the guest forbids itself any more
// (seal.c). A tool may translate as it goes, as valgrind does.
//
// Never: whatever has the kernel send a signal or write memory later, by which a stopped guest
// would go on: timers, owners of files, asynchronous I/O. A process with memory of its own, which
// would count for nobody. LeakSanitizer stops its own process from another one, that shares it.
#define _GNU_SOURCE // CLONE_THREAD
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static const int of_kernel[] = {
    // bubblewrap, which waits for it; our own loop; the C library before main and after
    SCMP_SYS(wait4),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(close),
    SCMP_SYS(execve),
    SCMP_SYS(arch_prctl),
    SCMP_SYS(uname),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(prlimit64),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getrandom),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    // memory
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    // printing, failing
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(restart_syscall),
};
static const int of_threads[] = {
    SCMP_SYS(futex),      SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(membarrier), SCMP_SYS(sysinfo),
};
static const int of_files[] = {
    SCMP_SYS(mmap),
    SCMP_SYS(mprotect), // until it is sealed, which takes
    SCMP_SYS(seccomp),       SCMP_SYS(openat),
    SCMP_SYS(open),          SCMP_SYS(read),
    SCMP_SYS(pread64),       SCMP_SYS(pwrite64),
    SCMP_SYS(lseek),         SCMP_SYS(getdents64),
    SCMP_SYS(access),        SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),    SCMP_SYS(stat),
    SCMP_SYS(lstat),         SCMP_SYS(statx),
    SCMP_SYS(statfs),        SCMP_SYS(fstatfs),
    SCMP_SYS(mkdir),         SCMP_SYS(mkdirat),
    SCMP_SYS(unlink),        SCMP_SYS(unlinkat),
    SCMP_SYS(rmdir),         SCMP_SYS(rename),
    SCMP_SYS(renameat),      SCMP_SYS(renameat2),
    SCMP_SYS(ftruncate),     SCMP_SYS(fsync),
    SCMP_SYS(fdatasync),     SCMP_SYS(flock),
    SCMP_SYS(getcwd),        SCMP_SYS(chdir),
    SCMP_SYS(umask),         SCMP_SYS(fadvise64),
    SCMP_SYS(getuid),        SCMP_SYS(geteuid),
    SCMP_SYS(getgid),        SCMP_SYS(getegid),
    SCMP_SYS(getppid),       SCMP_SYS(sysinfo),
    SCMP_SYS(getrusage),     SCMP_SYS(times),
    SCMP_SYS(dup),           SCMP_SYS(dup2),
    SCMP_SYS(dup3),          SCMP_SYS(pipe),
    SCMP_SYS(pipe2),         SCMP_SYS(poll),
    SCMP_SYS(gettimeofday),  SCMP_SYS(time),
    SCMP_SYS(clock_getres),  SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep),     SCMP_SYS(sched_setaffinity),
    SCMP_SYS(getcpu),        SCMP_SYS(chmod),
    SCMP_SYS(get_mempolicy),
};
// To a compiler or a tool, which need more than a list of ours would know.
static const int of_nobody[] = {
    // waking, writing later
    SCMP_SYS(timer_create),
    SCMP_SYS(timer_settime),
    SCMP_SYS(timerfd_create),
    SCMP_SYS(mq_notify),
    SCMP_SYS(io_setup),
    SCMP_SYS(io_submit),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(fanotify_init),
    // memory that is no process's
    SCMP_SYS(shmget),
    SCMP_SYS(semget),
    SCMP_SYS(msgget),
    // others
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(kcmp),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(fsopen),
    SCMP_SYS(open_tree),
    SCMP_SYS(move_mount),
    SCMP_SYS(fsmount),
    // doors into the kernel that nothing here needs
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(memfd_create),
    SCMP_SYS(memfd_secret),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(reboot),
    SCMP_SYS(swapon),
    SCMP_SYS(quotactl),
    SCMP_SYS(acct),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(name_to_handle_at),
};

static int failures;

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static void rules(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t count)
{
    for (size_t c = 0; c < count; c++)
        failures += seccomp_rule_add(filter, action, calls[c], 0) != 0;
}

// Memory, of which none can be executed.
static void only_data(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp data = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    failures += seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, data) != 0;
    failures += seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, data) != 0;
}

// Threads of one process: clone with CLONE_THREAD. The flags of clone3 cannot be seen from here; as
// if it were not there, the C library takes clone instead.
static void only_threads(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp thread = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
    failures += seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) != 0;
    failures += seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, thread) != 0;
}

// What a tool starts shares its memory, until it is another program.
static void only_shared(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp own = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_VM, 0);
    failures += seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) != 0;
    failures += seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, own) != 0;
    failures += seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(fork), 0) != 0;
}

static scmp_filter_ctx make(const char *kind)
{
    const bool tool = strcmp(kind, "tool") == 0, compiler = strcmp(kind, "compiler") == 0;
    const bool files = strcmp(kind, "files") == 0, threads = files || strcmp(kind, "threads") == 0;
    if (!tool && !compiler && !threads && strcmp(kind, "kernel") != 0)
        return NULL;
    const uint32_t forbidden = SCMP_ACT_ERRNO(EPERM);
    scmp_filter_ctx filter = seccomp_init(tool || compiler ? SCMP_ACT_ALLOW : forbidden);
    if (filter == NULL)
        return NULL;
    if (tool || compiler) {
        rules(filter, forbidden, of_nobody, COUNT(of_nobody));
        if (tool)
            only_shared(filter);
        else
            failures += seccomp_rule_add(filter, forbidden, SCMP_SYS(ptrace), 0) != 0;
        return filter;
    }
    // Who is stopped could let itself go on. All 64 bits are compared: the system looks at 32.
    for (unsigned number = 1; number < 65; number++) {
        const struct scmp_arg_cmp same = SCMP_A2(SCMP_CMP_EQ, number);
        if (number != SIGCONT)
            failures += seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, same) != 0;
    }
    rules(filter, SCMP_ACT_ALLOW, of_kernel, COUNT(of_kernel));
    if (threads) {
        rules(filter, SCMP_ACT_ALLOW, of_threads, COUNT(of_threads));
        only_threads(filter);
    }
    if (files) {
        const struct scmp_arg_cmp name = SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME),
                                  filtered = SCMP_A0(SCMP_CMP_EQ, PR_GET_SECCOMP);
        rules(filter, SCMP_ACT_ALLOW, of_files, COUNT(of_files));
        failures += seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, name) != 0;
        failures += seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, filtered) != 0;
    } else
        only_data(filter);
    return filter;
}

int main(int count, char **words)
{
    scmp_filter_ctx filter = count == 2 ? make(words[1]) : NULL;
    if (filter == NULL || failures > 0 || seccomp_export_bpf(filter, STDOUT_FILENO) != 0) {
        fprintf(stderr,
                "filter: usage: filter kernel|threads|files|tool|compiler > FILE (%d rules fail)\n",
                failures);
        return 2;
    }
    seccomp_release(filter);
    return 0;
}
