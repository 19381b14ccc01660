// SPDX-License-Identifier: MIT
// The process of a guest, as its host sees it: started, stopped, listened to, and ended. It is a
// fork of the host, or another program, which may lie in a sandbox (grading/).
#ifndef PROCESS_H
#define PROCESS_H

#include "guest/guest.h"

#include <sys/types.h>

struct process {
    pid_t child; // what was started; 0: it has ended
    pid_t pid;   // the guest: that process, or one in its sandbox; 0: it has not answered yet
    int handle;  // a file that means the guest (pidfd), or -1
    int socket;
    int status;    // of the child, once it has ended
    bool executed; // another program, perhaps behind bubblewrap
    bool timed;    // its wall clock may count: no other process gets its core meanwhile
    size_t most;   // bytes of memory that it may have; 0: its own limits say it
    int output;    // what another program prints, or -1
    FILE *log;     // where that goes, up to 64 KiB; NULL: nowhere
    long logged;
};

// `command`: NULL for a fork. True in the host. False in a fork, where g->socket is its end.
bool start_process(struct process *g, char **command);
bool has_ended(struct process *g);
void kill_process(struct process *g);
// False: it was stopped after so many milliseconds.
bool await_end(struct process *g, int ms);
int signal_of(const struct process *g); // that has ended it; 0: none
// All of its threads stand, before anything is touched that they could use. False: they do not.
bool freeze(struct process *g);
void thaw(struct process *g);
void interrupt(struct process *g);      // SIGXCPU: a lab's program says where it is
bool all_wait(const struct process *g); // does none of its threads compute?

enum heard { ANSWER, NOTHING, GONE, GREEDY };
enum heard hear(struct process *g, struct answer *answer, int ms);

// Milliseconds, of all its threads: of the processor; and without one that they could have used.
double processor_ms(pid_t pid);
double run_delay(pid_t pid);
#endif
