// SPDX-License-Identifier: MIT
// CLBlast with the parameters that its tuners found on this very device: make -C baseline/clblast
// tuned.
#include "clblast.h"
#include "session/config.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 32 }; // parameters of a kernel
typedef int override(cl_device_id device, const char *kernel, int precision, size_t count,
                     const char **names, const size_t *values);

// "MWG=64 NWG=64": the parameters of a kernel.
static void set(override *set_parameters, cl_device_id device, const char *kernel, char *words)
{
    const char *names[MOST];
    size_t values[MOST], count = 0;
    for (char *word = strtok(words, " \n"); word != NULL && count < MOST;
         word = strtok(NULL, " \n")) {
        char *value = strchr(word, '=');
        if (value == NULL)
            continue;
        *value = '\0';
        names[count] = word;
        values[count++] = strtoul(value + 1, NULL, 10);
    }
    int status = set_parameters(device, kernel, 32, count, names, values);
    if (status != 0)
        exit_with(EXIT_USAGE, "CLBlast refuses the parameters of %s, status %d: tune it again",
                  kernel, status);
}

// A line of the file: device, kernel, parameters; separated by tabs.
static void set_up(void *library, cl_device_id device)
{
    override *set_parameters = (override *)find(library, "CLBlastOverrideParameters");
    char path[4096], name[256], line[2048];
    int found = 0;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    snprintf(path, sizeof path, "%s/../../build/clblast.tsv", config.folder);
    FILE *file = sizeof(real) == 4 ? fopen(path, "r") : NULL; // it is tuned for float alone
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *kernel = strchr(line, '\t'), *words = kernel ? strchr(kernel + 1, '\t') : NULL;
        if (words == NULL)
            continue;
        *kernel++ = *words++ = '\0';
        if (strcmp(line, name) != 0)
            continue;
        set(set_parameters, device, kernel, words);
        found++;
    }
    if (file != NULL)
        fclose(file);
    if (found == 0)
        exit_with(EXIT_SKIPPED,
                  "skipped: not tuned for %s of %s here: make -C baseline/clblast tuned",
                  config.type, name);
    snprintf(used_library, sizeof used_library, "CLBlast, tuned on this device");
}
