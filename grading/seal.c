// SPDX-License-Identifier: MIT
// From here on no memory becomes code. A driver has its libraries by now, but for those that it
// made of the kernel, which it loads when that is first launched: they are loaded here, so that
// nothing is left to load.
#include "seal.h"
#include "lab.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>

// In PoCL's cache: two folders of a program, one of the kernel, one of the size of work-groups.
static void load_libraries(const char *cache)
{
    char pattern[256];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*/*/*/*/*.so", cache);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t f = 0; f < found.gl_pathc; f++)
        if (dlopen(found.gl_pathv[f], RTLD_NOW) == NULL)
            exit_with(EXIT_USAGE, "cannot load the compiled kernel: %s", dlerror());
    globfree(&found);
}

void seal(const char *cache)
{
    const struct scmp_arg_cmp code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC);
    const int calls[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
    if (prctl(PR_GET_SECCOMP) == 0) // a test that leaves all filters out
        return;
    load_libraries(cache);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool sealed =
        filter != NULL && seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0) == 0 &&
        seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0; // the driver's threads, too
    for (int c = 0; c < 2; c++)
        sealed = sealed && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), calls[c], 1, code) == 0;
    // Nor has it any more filters, which could make its own signals slow.
    sealed = sealed && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(seccomp), 0) == 0;
    if (!sealed || seccomp_load(filter) != 0)
        exit_with(EXIT_USAGE, "cannot seal what may be executed");
    seccomp_release(filter);
}
