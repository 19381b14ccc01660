// SPDX-License-Identifier: MIT
// Tunables: set them with make RANKS=4.
#ifndef RANKS
#define RANKS 0 // that ./gemm starts itself as; 0: one for each core
#endif

// Its tiles are the library's own affair: the battery's shapes lie around these.
#define TILE_M 16
#define TILE_N 16
#define TILE_K 16

#if RANKS < 0 || RANKS > 4096
#error "RANKS must be from 0 to 4096"
#endif
