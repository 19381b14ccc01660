// SPDX-License-Identifier: MIT
// A worker is serve.c and one of cpu.c, copies.c, opencl.c, cuda.cu, which has these two.
#ifndef SERVE_H
#define SERVE_H

#include "protocol.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Before the first request. Its own words of the command line: see each file.
void prepare(int count, char **words);
// A request: M, N, K and the phase; A and B can be read alone.
void serve(const struct request *r, const real *A, const real *B, real *C);

// ---- serve.c -----------------------------------------------------------------------------------
// A kernel touched what is not there. Where that is beside A, B or C, the judge is told, which ends
// this process.
void tell_where(const void *there);
// For prepare(): behind it this process has as much memory as a kernel may have, beside A, B and C;
// unless it is under a tool, which reserves more.
void limit_kernel(void);

// ---- serve.c, for those with copies of A and B -------------------------------------------------
// To FOUND_FD, and "worker: ..." for whoever reads the log; and ends.
#ifdef __GNUC__
__attribute__((noreturn, format(printf, 1, 2)))
#endif
void complain(const char *format, ...);
// Is this copy of A or B what it was?
void require_same(const char *name, const void *copy, const void *original, size_t size);

// ---- seal.c, for the one that loads a driver ---------------------------------------------------
void seal(
    const char *cache); // no memory becomes code from here on; where PoCL keeps what it compiled

#ifdef __cplusplus
}
#endif
#endif
