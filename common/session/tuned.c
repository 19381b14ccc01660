// SPDX-License-Identifier: MIT
// What make knows of one program and not of all of its lab: the settings that make tune found, and the rounding.
#include "lab.h"
#include "session/config.h"

#include <ctype.h>
#include <string.h>

const struct tuned *tuned_of(const struct lab *lab)
{
    for (const struct tuned *t = config.tuned; t != NULL && t->variant != NULL; t++)
        if (strcmp(t->variant, lab->variant) == 0)
            return t;
    return NULL;
}

struct rounding rounding_of(const struct lab *lab)
{
    for (const struct rounding *r = config.roundings; r != NULL && r->variant != NULL; r++)
        if (strcmp(r->variant, lab->variant) == 0)
            return *r;
    return (struct rounding){"", "", 0};
}

const char *settings_of(const struct lab *lab)
{
    const struct tuned *tuned = tuned_of(lab);
    return tuned != NULL ? tuned->settings : config.settings;
}

// To the next letter or digit: a record, and make, keep other characters of a name differently.
static const char *next_plain(const char *c)
{
    while (*c != '\0' && !isalnum((unsigned char)*c))
        c++;
    return c;
}

bool same_device(const char *one, const char *other)
{
    for (one = next_plain(one), other = next_plain(other); *one != '\0' && *one == *other;
         one = next_plain(one + 1), other = next_plain(other + 1))
        ;
    return *one == *other;
}
