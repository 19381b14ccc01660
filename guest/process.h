// SPDX-License-Identifier: MIT
// The process of a guest: the host starts it, stops it, receives its answers and ends it. It is a
// fork of the host, or another program in a sandbox (grading/).
#ifndef PROCESS_H
#define PROCESS_H

#include "guest/guest.h"

#include <sys/types.h>

struct process {
    pid_t child; // the process that was started; 0: it has ended
    pid_t pid;   // the guest, child or a process in its sandbox; 0: unknown before it answers
    int handle;  // pidfd of the guest, or -1
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
// "crashed with signal 11 (Segmentation fault)", of a process that has ended.
void end_in_words(const struct process *g, char *words, size_t size);
// Stops all of its threads, before memory is touched that they could use. False: they go on.
bool freeze(struct process *g);
void thaw(struct process *g);
void interrupt(struct process *g); // SIGXCPU: the guest sends its line

// Creates and maps the memory of a problem that has its sizes, and orders it. A program in a
// sandbox gets it sealed, which takes Linux 5.1; with `in_place` the inputs, too.
void order_problem(const struct process *g, struct problem *p, bool in_place);

enum heard { ANSWER, NOTHING, GONE, GREEDY };
enum heard hear(struct process *g, struct answer *answer, int ms);

// Milliseconds, all threads: processor time, and time spent waiting for a core.
double processor_ms(pid_t pid);
double run_delay(pid_t pid);
// Is a run over that may take `most` milliseconds of processor time? The wall-clock limit is
// longer, unless all threads wait for each other. Time spent waiting for a core does not count.
bool is_over(const struct process *g, double wall, double processor, double waited, double most);
#endif
