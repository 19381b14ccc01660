// SPDX-License-Identifier: MIT
// The process of a guest: the host starts it, stops it, receives its answers and ends it. It is a
// fork of the host, or another program in a sandbox (grading/).
#ifndef PROCESS_H
#define PROCESS_H

#include "guest/guest.h"

#include <sys/types.h>

struct process {
    pid_t child; // the process that was started; 0: it has ended
    pid_t
        pid; // the guest: child, or a process in its sandbox; 0: not known before its first answer
    int handle; // pidfd of the guest, or -1
    int socket;
    int status;    // of the child, once it has ended
    bool executed; // another program, started by bubblewrap
    bool timed;    // its wall-clock time may count: the host does not yield its core
    size_t most;   // limit of resident memory in bytes; 0: none
    int output;    // pipe with the output of another program, or -1
    FILE *log;     // receives the first 64 KiB of it; NULL: none
    long logged;
};

// `command` is NULL for a fork. Returns true in the host, and false in a fork, whose end of the
// socket is g->socket.
bool start_process(struct process *g, char **command);
bool has_ended(struct process *g);
void kill_process(struct process *g);
// False: it had to be killed after so many milliseconds.
bool await_end(struct process *g, int ms);
int signal_of(const struct process *g); // the signal that ended it; 0: none
// Stops all of its threads, before memory is touched that they could use. False: they go on.
bool freeze(struct process *g);
void thaw(struct process *g);
void interrupt(struct process *g);      // SIGXCPU: the guest sends its line
bool all_wait(const struct process *g); // no thread of it is running

enum heard { ANSWER, NOTHING, GONE, GREEDY };
enum heard hear(struct process *g, struct answer *answer, int ms);

// Milliseconds, all threads: processor time, and time spent waiting for a core.
double processor_ms(pid_t pid);
double run_delay(pid_t pid);
#endif
