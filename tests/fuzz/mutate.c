/* SPDX-License-Identifier: Apache-2.0
 *
 * mutate.c - drives a fuzz harness without libFuzzer, so that any compiler will do: every file of a folder as it is,
 * then texts made of them by random changes. mutate DICTIONARY CORPUS RUNS SEED; a text that faults is kept as
 * crash-text.
 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_TEXTS = 4096, MOST_WORDS = 256, MOST_BYTES = 16384 };

typedef struct text {
  uint8_t *bytes;
  size_t size;
} text;

static text texts[MOST_TEXTS], words[MOST_WORDS];
static size_t text_count, word_count;

static void insist(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "mutate: %s\n", what);
  exit(1);
}

static text copy_of(const void *bytes, size_t size) {
  text copy = {malloc(size + 1), size};
  insist(copy.bytes != NULL, "no memory");
  memcpy(copy.bytes, bytes, size);
  return copy;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void read_corpus(const char *folder) {
  static uint8_t bytes[1 << 20];
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, by_name);
  for (int i = 0; i < count && text_count < MOST_TEXTS; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    FILE *file = entries[i]->d_name[0] == '.' ? NULL : fopen(path, "rb");
    free(entries[i]);
    if (!file) continue;
    texts[text_count++] = copy_of(bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
  }
  insist(count > 0 && text_count > 0, "there is no corpus");
  free(entries);
}

/* Lines "word" of a libFuzzer dictionary; escapes are taken as they stand. */
static void read_dictionary(const char *path) {
  char line[256];
  FILE *file = fopen(path, "r");
  insist(file != NULL, "there is no dictionary");
  while (fgets(line, sizeof line, file) && word_count < MOST_WORDS) {
    char *first = strchr(line, '"'), *last = strrchr(line, '"');
    if (line[0] != '#' && first && last > first + 1)
      words[word_count++] = copy_of(first + 1, (size_t)(last - first - 1));
  }
  fclose(file);
  insist(word_count > 0, "the dictionary is empty");
}

static size_t below(random_stream *stream, size_t count) { return random_below(stream, (uint32_t)count); }

/* Replaces `gone` bytes at `at` by the piece. */
static void splice(text *it, size_t at, size_t gone, const uint8_t *piece, size_t size) {
  if (it->size - gone + size > MOST_BYTES) return;
  memmove(it->bytes + at + size, it->bytes + at + gone, it->size - at - gone);
  memcpy(it->bytes + at, piece, size);
  it->size += size - gone;
}

static void change(random_stream *stream, text *it) {
  size_t at = below(stream, it->size + 1), left = it->size - at, cut = below(stream, left < 32 ? left + 1 : 32);
  uint8_t byte = (uint8_t)below(stream, 256);
  switch (below(stream, 6)) {
  case 0: splice(it, at, left > 0, &byte, 1); break;
  case 1: splice(it, at, cut, &byte, 0); break;
  case 2: {
    const text *word = &words[below(stream, word_count)];
    splice(it, at, below(stream, 2) ? cut : 0, word->bytes, word->size);
    break;
  }
  case 3: {
    const text *other = &texts[below(stream, text_count)];
    size_t from = below(stream, other->size + 1), size = below(stream, other->size - from + 1);
    splice(it, at, cut, other->bytes + from, size < 256 ? size : 256);
    break;
  }
  case 4:
    if (left > 0) it->bytes[at] ^= (uint8_t)(1u << below(stream, 8));
    break;
  default: {
    text twice = copy_of(it->bytes + at, cut);
    splice(it, at, 0, twice.bytes, twice.size);
    free(twice.bytes);
  }
  }
}

static const text *tried; /* the text that is being tried */

/* At a fault: the text becomes a file. */
static void keep_text(void) {
  FILE *file = tried ? fopen(CRASH_FILE, "wb") : NULL;
  if (!file) return;
  fwrite(tried->bytes, 1, tried->size, file);
  fclose(file);
  fprintf(stderr, "mutate: the text is in %s\n", CRASH_FILE);
}

static void at_abort(int signal_number) {
  (void)signal_number;
  keep_text();
}

/* Of the sanitizers, where they are. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void try_text(const text *it) {
  text exact = copy_of(it->bytes, it->size); /* so that one byte too far is seen */
  tried = &exact;
  LLVMFuzzerTestOneInput(exact.bytes, exact.size);
  tried = NULL;
  free(exact.bytes);
}

int main(int count, char **arguments) {
  insist(count == 5, "usage: mutate DICTIONARY CORPUS RUNS SEED");
  signal(SIGABRT, at_abort);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_text);
  read_dictionary(arguments[1]);
  read_corpus(arguments[2]);
  long runs = strtol(arguments[3], NULL, 10);
  for (size_t i = 0; i < text_count; i++) try_text(&texts[i]);
  static uint8_t room[2 * MOST_BYTES];
  for (long i = 0; i < runs; i++) {
    random_stream stream = random_open((uint64_t)strtoull(arguments[4], NULL, 10), RANDOM_TEST, (uint64_t)i, 0);
    const text *origin = &texts[below(&stream, text_count)];
    text made = {room, origin->size < MOST_BYTES ? origin->size : MOST_BYTES};
    memcpy(room, origin->bytes, made.size);
    for (size_t changes = 1 + below(&stream, 8); changes > 0; changes--) change(&stream, &made);
    try_text(&made);
  }
  printf("%zu texts of the corpus and %ld made of them, no finding\n", text_count, runs);
  return 0;
}
