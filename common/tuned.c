// SPDX-License-Identifier: MIT
// What make knows of one program and not of all of its lab: the settings that make tune found, and the rounding.
#include "lab.h"
#include "config.h"

#include <ctype.h>
#include <string.h>

const struct tuned *tuned_of(const struct lab *lab)
{
    static struct tuned tuned;
    tuned = (struct tuned){lab->variant, config.tuned, config.settings, config.tuned_for};
    return config.tuned[0] != '\0' ? &tuned : NULL;
}

struct rounding rounding_of(const struct lab *lab)
{
    return (struct rounding){lab->variant, config.rounding, config.roundoff};
}

const char *settings_of(const struct lab *lab)
{
    (void)lab;
    return config.settings;
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
