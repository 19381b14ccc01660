// SPDX-License-Identifier: MIT
// Tunables: set them with make THREADS=4.
#ifndef THREADS
#define THREADS 1 // that the library may use; 0: as many as there are processors
#endif

// Its tiles are the library's own affair: the battery's shapes lie around these.
#define TILE_M 16
#define TILE_N 16
#define TILE_K 16

#if THREADS < 0 || THREADS > 1024
#error "THREADS must be from 0 to 1024"
#endif
