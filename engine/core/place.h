// SPDX-License-Identifier: MIT
#ifndef PLACE_H
#define PLACE_H

namespace emulation
{
// A line of the program. here() as a default argument is the line of the call.
struct place {
    const char *file;
    int line;
    static constexpr place here(const char *file = __builtin_FILE(), int line = __builtin_LINE())
    {
        return {file, line};
    }
};
} // namespace emulation
#endif
