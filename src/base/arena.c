/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

/* What kernels read by whole vectors is padded to as many bytes as they are aligned to: a smaller piece is none of it.
 */
enum { BLOCK_BYTES = 16 * 1024, SMALL_ALIGNMENT = 16, VECTOR_BYTES = 64 };

/* A block begins with this header; pieces follow it. */
typedef struct block {
  struct block *next;
  size_t size, used; /* bytes, counted from the block's start */
} block;

enum { FIRST_PIECE = 64 }; /* after the header */
_Static_assert(sizeof(block) <= FIRST_PIECE, "a block's header fits before its first piece");

struct arena {
  block *blocks;      /* the newest first; only it is filled further */
  size_t next_bytes;  /* least size of the next block; 0: the usual one */
  atomic_int sharers; /* owners beside the first */
};

ans_status arena_new(ans_context *context, arena **result) {
  *result = memory_take(sizeof **result);
  return *result ? ANS_OK : context_no_memory(context);
}

static void give_blocks(arena *arena) {
  for (block *b = arena->blocks; b;) {
    block *next = b->next;
    memory_give(b);
    b = next;
  }
  arena->blocks = NULL;
}

void arena_share(arena *arena) { atomic_fetch_add(&arena->sharers, 1); }

void arena_free(arena *arena) {
  if (!arena || atomic_fetch_sub(&arena->sharers, 1) > 0) return;
  give_blocks(arena);
  memory_give(arena);
}

void arena_clear(arena *arena) {
  block *first = arena->blocks;
  size_t total = 0;
  assert(!first || first->used >= FIRST_PIECE);
  for (block *b = first; b; b = b->next) total += b->size;
  if (first && !first->next) {
    memset((char *)first + FIRST_PIECE, 0, first->used - FIRST_PIECE);
    first->used = FIRST_PIECE;
    return;
  }
  give_blocks(arena);
  arena->next_bytes = total; /* the next block has room for all of them */
}

static size_t rounded_up(size_t value, size_t step) { return (value + step - 1) / step * step; }

static block *block_new(arena *arena, size_t bytes) {
  assert(bytes >= FIRST_PIECE);
  block *b = memory_take(bytes);
  if (!b) return NULL;
  b->size = bytes;
  b->used = FIRST_PIECE;
  b->next = arena->blocks;
  arena->blocks = b;
  return b;
}

void *arena_take(arena *arena, size_t bytes) {
  if (bytes > SIZE_MAX / 2) return NULL;
  size_t alignment = bytes >= VECTOR_BYTES ? VECTOR_BYTES : SMALL_ALIGNMENT;
  block *b = arena->blocks;
  size_t start = b ? rounded_up(b->used, alignment) : 0;
  if (!b || start > b->size || bytes > b->size - start) {
    size_t needed = bytes + FIRST_PIECE;
    size_t usual = arena->next_bytes > BLOCK_BYTES ? arena->next_bytes : BLOCK_BYTES;
    b = block_new(arena, needed > usual ? needed : usual);
    if (!b) return NULL;
    start = b->used;
    assert(start % alignment == 0);
  }
  b->used = start + bytes;
  assert(b->used <= b->size);
  return (char *)b + start;
}

char *arena_string(arena *arena, const char *text, size_t length) {
  char *copy = arena_take(arena, length + 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}
