// SPDX-License-Identifier: MIT
// What the judge asks of a worker, and what a worker answers. A worker may believe the judge. The
// judge believes nothing that a worker says: an answer ends the time of a call, and the bytes of C
// are looked at.
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdint.h>

// What a worker finds open: a file for each of A, B and C, of which it can read A and B alone. None
// can change its size. The first MARGIN and the last are the judge's alone: a worker has nothing
// there. What a worker itself finds goes to FOUND_FD, which no kernel prints to.
enum { A_FD = 3, B_FD, C_FD, CONTROL_FD, FOUND_FD = 8, MATRICES = 3, MARGIN = 4096 };

// A worker whose kernel runs in the judge's memory is asked to RUN alone. One with memory of its
// own, a GPU's or a checking tool's, is asked to LOAD A, B and C before, and to FETCH C behind.
enum phase { NOTHING, LOAD, RUN, FETCH };

struct request {
    uint64_t token;        // comes back in the answer
    uint64_t at[MATRICES]; // where A, B, C begin: bytes from the start of their files
    int32_t M, N, K;       // row-major, lda = K, ldb = N, ldc = N
    int32_t phase;         // enum phase
};

struct answer {
    uint64_t token; // 0: ready for the first request
    // Of a call that touches memory where there is none: near A, B, C: 1, 2, 3; for want of some,
    // MATRICES and an enum lack; else 0.
    int64_t matrix;
    int64_t element; // and which of it that would be
};
#endif
