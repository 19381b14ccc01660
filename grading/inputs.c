// SPDX-License-Identifier: MIT
// What A and B hold, and everything else that a kernel must not foresee.
#include "judge.h"

#include <sodium.h>
#include <string.h>

// Draw number n of a seed is made from both by a hash, so that no draw tells anything of another.
static struct {
    unsigned char seed[SEED_BYTES];
    uint64_t number;
} state;

void seed_random(const unsigned char seed[SEED_BYTES])
{
    memcpy(state.seed, seed, SEED_BYTES);
    state.number = 0;
}

static void random_bytes(void *bytes, size_t count)
{
    unsigned char key[randombytes_SEEDBYTES];
    state.number++;
    crypto_generichash(key, sizeof key, (const unsigned char *)&state, sizeof state, NULL, 0);
    randombytes_buf_deterministic(bytes, count, key);
}

uint64_t draw(uint64_t below)
{
    uint64_t number;
    random_bytes(&number, sizeof number);
    return number % below;
}

static void fill(const struct problem *p, struct matrix *m, bool is_b)
{
    enum { CHUNK = 4096 };
    uint32_t bits[CHUNK];
    size_t cols = (size_t)m->cols, count = (size_t)m->rows * cols;
    for (size_t first = 0; first < count; first += CHUNK) {
        size_t some = count - first < CHUNK ? count - first : CHUNK;
        random_bytes(bits, some * sizeof bits[0]);
        for (size_t i = 0; i < some; i++)
            m->data[first + i] = input_value(p, is_b, (uint32_t)((first + i) / cols),
                                             (uint32_t)((first + i) % cols), bits[i]);
    }
}

void fill_random(struct problem *p, enum data_set set)
{
    p->set = set;
    fill(p, &p->A, false);
    fill(p, &p->B, true);
    guard_inputs(p);
    random_bytes(&p->secret, sizeof p->secret);
    p->secret |= 1; // 0 is none
}
