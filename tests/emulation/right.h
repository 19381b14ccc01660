// SPDX-License-Identifier: MIT
// What a right_*.cu says of what is not as it should be, and at its end.
#include <cstdio>

static int wrong;
#define WANT(x)                                                                                    \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            printf("line %d: not %s\n", __LINE__, #x);                                             \
            wrong = 1;                                                                             \
        }                                                                                          \
    } while (0)

static int end()
{
    puts(wrong ? "wrong" : " right");
    return wrong;
}
