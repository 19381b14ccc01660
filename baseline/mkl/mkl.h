// SPDX-License-Identifier: MIT
// Intel's MKL, held to an instruction set. A level is a number of its header, the same in every
// version.
#include "../cblas.h"

enum { MKL_AVX2 = 2, MKL_AVX512 = 4 };

static cblas_gemm *load_mkl(int level)
{
    char said[256] = "";
    set_threads("MKL_NUM_THREADS");
    if (THREADS == 1) // else it takes a library of OpenMP along
        setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 1);
    void *library = open_library();
    int (*enable)(int) = (int (*)(int))find(library, "MKL_Enable_Instructions");
    void (*version)(char *, int) = (void (*)(char *, int))find(library, "MKL_Get_Version_String");
    if (!enable(level))
        exit_with(EXIT_SKIPPED, "skipped: this MKL cannot be held to %s", instructions);
    version(said, sizeof said);
    const char *number = said + strcspn(said, "0123456789"); // ... Version 2026.2-Product Build ...
    snprintf(used_library, sizeof used_library, "MKL %.*s, %s", (int)strcspn(number, "- "), number,
             instructions);
    return find_gemm(library);
}
