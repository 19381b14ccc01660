// SPDX-License-Identifier: MIT
// OpenBLAS with the kernels for one kind of CPU, its "core type". Left alone it chooses by the
// CPU's model, and takes those for AVX2 on some CPUs with AVX-512.
#include "../cblas.h"

static cblas_gemm *load_openblas(const char *core)
{
    set_threads("OPENBLAS_NUM_THREADS");
    setenv("OPENBLAS_CORETYPE", core, 1);
    void *library = open_library();
    char *(*corename)(void) = (char *(*)(void))find(library, "openblas_get_corename");
    char *(*config)(void) = (char *(*)(void))find(library, "openblas_get_config");
    if (strcmp(corename(), core) != 0)
        exit_with(EXIT_SKIPPED, "skipped: this OpenBLAS has no kernels for %s: it chose %s", core,
                  corename());
    const char *version = config() + strcspn(config(), "0123456789"); // OpenBLAS 0.3.21 ...
    snprintf(used_library, sizeof used_library, "OpenBLAS %.*s, %s", (int)strcspn(version, " "),
             version, core);
    return find_gemm(library);
}
