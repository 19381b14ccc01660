// SPDX-License-Identifier: MIT
// No tunables: they are the library's own affair. The battery's shapes lie around these.
#define TILE_M 64
#define TILE_N 64
#define TILE_K 16
