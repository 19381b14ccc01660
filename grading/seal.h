// SPDX-License-Identifier: MIT
#ifndef SEAL_H
#define SEAL_H

// No memory becomes code from here on. `cache`: where PoCL keeps what it compiled.
void seal(const char *cache);
#endif
