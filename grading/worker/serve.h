// SPDX-License-Identifier: MIT
// A worker is serve.c and one of cpu.c, copies.c, opencl.c, cuda.cu, which has these two.
#ifndef SERVE_H
#define SERVE_H

#include "protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

// Before the first request. Its own words of the command line: see each file.
void prepare(int count, char **words);
// A request: M, N, K and the phase; A and B can be read alone.
void serve(const struct request *r, const real *A, const real *B, real *C);

#ifdef __cplusplus
}
#endif
#endif
