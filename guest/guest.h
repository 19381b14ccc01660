// SPDX-License-Identifier: MIT
// A kernel is a guest. lab_begin() forks: the child goes on as main and computes, and the parent,
// the host, fills A and B, says which run is next, waits, and verifies C. They share the memory of
// the matrices and one socket. The child is stopped whenever the host does not wait for it.
//
//     shared.c    the memory of both, in which nothing lies beside A, B and C
//     messages.c  an order, with the files of that memory
//     host.c      the parent's side: orders, limits of time, how the child ended
//     guest.c     the child's side: main's calls, limits of memory, a crash
#ifndef GUEST_H
#define GUEST_H

#include "session/session.h"

// ---- shared.c ---------------------------------------------------------------------------------
// Two files hold the inputs and C, each matrix with a page before and behind it.
enum { INPUTS, OUTPUT, FILES };

// Maps both files and lays the matrices of `p` into them. `inputs`: the protection of A and B.
// False: there is no memory.
bool map_matrices(struct problem *p, const int files[FILES], int inputs);
void unmap_matrices(struct problem *p);
size_t mapped_bytes(const struct problem *p);                 // of addresses
bool create_files(const struct problem *p, int files[FILES]); // false: there is no memory
// Nothing can change their sizes any more; and with `inputs_too` nothing can write to A and B but
// through a mapping that exists by now. False: this system cannot do that.
bool seal_files(const int files[FILES], bool inputs_too);
// Moves the matrices to this place.
void place_matrices(struct problem *p, enum edge edge);
// In the child: the page before or behind each matrix is inaccessible, or neither.
void set_edges(const struct problem *p, enum edge edge);
// Which matrix has nothing but `address` beside it: 0 to 2; 3: none. *element: from its first one.
int matrix_near(const struct problem *p, const char *address, long *element);

// ---- the messages -----------------------------------------------------------------------------
// What main finds out about the device, and the figures that it takes.
struct facts {
    char device[256], library[160];
    bool is_emulated, back_to_back;
    double alloc_ms, context_ms, build_ms, ahead_ms;
    struct clocks clock;
};

struct order {
    // NO_MORE: runs of this problem, or problems. ECHO: an answer, and nothing else.
    enum { PROBLEM, RUN, NO_MORE, ECHO } kind;
    int M, N, K; // of a problem, with which its two files come
    int run, launches;
    enum edge edge;
    bool is_timed;
};

// For the first problem; with a run; before there is one; in a run that is not right.
enum what { READY, DONE, LEAVES, CRASHES };

struct answer {
    enum what kind;
    struct times times;
    struct facts facts;
    enum lack refused; // memory, to the kernel
    size_t kept; // bytes that the program has taken and not given back, where a sanitizer counts
    // LEAVES
    int status;
    char reason[1024];
    // CRASHES
    int signal;
    int near;              // which matrix the address is near, 0 to 2; 3: none
    long element;          // and which of its elements that would be
    uintptr_t instruction; // from the start of the program, 0: in a library
    enum { READS, WRITES, TOUCHES, MISALIGNED } access;
};

// ---- messages.c -------------------------------------------------------------------------------
// `files`: NULL, or those of a problem. Who is gone is missed by who waits for an answer.
void send_order(int socket, struct order order, const int files[FILES]);
bool receive_order(int socket, struct order *order, int files[FILES]); // false: see errno, or 0

// ---- host.c -----------------------------------------------------------------------------------
// Forks. In the child, *lab is ready for main's calls. The parent drives the session and never
// returns. A child that executes the program anew finds its socket in GEMM_GUEST.
void host_guest(struct session *s, char **argv);

// ---- guest.c ----------------------------------------------------------------------------------
void guest_begin(struct session *s, int socket);
bool guest_next_problem(struct session *s);
bool guest_next_run(struct session *s);
void guest_end_run(struct session *s, struct times times);
#endif
