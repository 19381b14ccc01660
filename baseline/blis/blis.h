// SPDX-License-Identifier: MIT
// BLIS with the kernels for one kind of CPU, by their name. BLIS is told their number, which is
// another one from version to version.
#include "../cblas.h"

static cblas_gemm *load_blis(const char *kind)
{
    set_threads("BLIS_NUM_THREADS");
    void *library = open_library();
    const char *(*name_of)(int) = (const char *(*)(int))find(library, "bli_arch_string");
    char *(*version)(void) = (char *(*)(void))find(library, "bli_info_get_version_str");
    int number = 0;
    while (strcmp(name_of(number), kind) != 0)
        if (strcmp(name_of(number++), "generic") == 0) // the last
            exit_with(EXIT_SKIPPED, "skipped: this BLIS has no kernels for %s", kind);
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv("BLIS_ARCH_TYPE", text, 1); // read by its first call that computes
    snprintf(used_library, sizeof used_library, "BLIS %s, %s", version(), kind);
    return find_gemm(library);
}
