/* SPDX-License-Identifier: Apache-2.0
 *
 * arena.h - memory that is taken piece by piece and given back all at once.
 *
 * One arena per object: whoever owns the object frees the arena, and a function that fails half-way
 * leaves nothing behind. Pieces are zero-filled and 64-byte aligned when large, 16-byte when small.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/context.h"

typedef struct arena arena;

ans_status arena_new(ans_context *context, arena **result);
void arena_free(arena *arena);

/* Forgets all pieces and keeps memory for as many, so that an arena that is filled alike again and again soon takes
 * none. */
void arena_clear(arena *arena);

/* One owner more, for an object that no longer changes: the last arena_free gives the memory back. From any thread. */
void arena_share(arena *arena);

/* NULL when memory is exhausted. */
void *arena_take(arena *arena, size_t bytes);
char *arena_string(arena *arena, const char *text, size_t length);

/* arena_array(a, struct term, n): NULL when memory is exhausted or n * size overflows. */
#define arena_array(arena, type, count) ((type *)arena_take((arena), size_product((count), sizeof(type))))

#endif
