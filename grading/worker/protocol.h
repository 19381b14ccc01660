// SPDX-License-Identifier: MIT
// What the judge asks of a worker, and what a worker answers. A worker may believe the judge. The judge
// believes nothing that a worker says: an answer ends the time of a call, and the bytes of C are looked at.
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdint.h>

// What a worker finds open. The inputs can be read alone; neither file can change its size.
enum { INPUTS_FD = 3, OUTPUT_FD = 4, CONTROL_FD = 5 };

// A worker whose kernel runs in the judge's memory is asked to RUN alone. One with memory of its own, a
// GPU's or a checking tool's, is asked to LOAD A, B and C before, and to FETCH C behind.
enum phase { NOTHING, LOAD, RUN, FETCH };

struct request {
    uint64_t token;   // comes back in the answer
    uint64_t A, B, C; // where the matrices begin: bytes from the start of inputs, inputs, output
    int32_t M, N, K;  // row-major, dense, leading dimensions K, N, N
    int32_t phase;    // enum phase
};

struct answer {
    uint64_t token; // 0: ready for the first request
};
#endif
