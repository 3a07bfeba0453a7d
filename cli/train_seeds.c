/* SPDX-License-Identifier: Apache-2.0
 *
 * train_seeds.c - `train --seeds`: one model for each seed, one after the other, or this process's part of them.
 *
 * Each is the run that --seed SEED would be, with {seed} filled in where files are named. With --resume a seed whose
 * model is there is done.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "output.h"
#include "shard.h"
#include "train.h"

enum { FILES = 3, PATH_BYTES = 4096 };
static const char *const files[FILES] = {"output", "log", "figure"};

/* "m-{seed}.safetensors" -> "m-101.safetensors". False: it is too long. */
static bool fill_seed(const char *pattern, const char *seed, int length, char *path) {
  size_t used = 0;
  for (const char *place; (place = strstr(pattern, "{seed}")); pattern = place + strlen("{seed}")) {
    int added = snprintf(path + used, PATH_BYTES - used, "%.*s%.*s", (int)(place - pattern), pattern, length, seed);
    if (added < 0 || (used += (size_t)added) >= PATH_BYTES) return false;
  }
  int added = snprintf(path + used, PATH_BYTES - used, "%s", pattern);
  return added >= 0 && used + (size_t)added < PATH_BYTES;
}

static bool read_seed(const char *word, int length, uint64_t *seed) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(word, &end, 10);
  *seed = number;
  return length > 0 && word[0] >= '0' && word[0] <= '9' && end == word + length && errno == 0 && number <= INT64_MAX;
}

/* Before any work: every word is a seed, no seed comes twice, and every file has its own. */
static bool words_fit(const arguments *arguments, const char *list) {
  const char *word, *other;
  int length, other_length;
  uint64_t seed, before;
  for (int i = 0; (word = list_word(list, ',', i, &length)); i++) {
    if (!read_seed(word, length, &seed)) {
      complain("--seeds %s: expected whole numbers separated by commas, like 101,102, not '%.*s'", list, length, word);
      return false;
    }
    for (int k = 0; k < i && (other = list_word(list, ',', k, &other_length)); k++)
      if (read_seed(other, other_length, &before) && before == seed) {
        complain("--seeds %s: %.*s appears twice", list, length, word);
        return false;
      }
  }
  for (int f = 0; f < FILES; f++) {
    const char *pattern = option_value(arguments, files[f]);
    if (pattern && !strstr(pattern, "{seed}")) {
      complain("--%s %s: with --seeds the path needs {seed}, so that each seed has a file of its own", files[f],
               pattern);
      return false;
    }
  }
  return true;
}

/* Whether the model of a finished run stands there. */
static bool finished(const char *path, uint64_t seed) {
  ans_context *context;
  ans_model *model = NULL;
  char checkpoint[PATH_BYTES + 16];
  snprintf(checkpoint, sizeof checkpoint, "%s" TRAIN_CHECKPOINT, path);
  if (access(path, F_OK) != 0 || access(checkpoint, F_OK) == 0 || ans_context_new(&context) != ANS_OK) return false;
  bool there = ans_model_read(context, path, &model) == ANS_OK && ans_model_information(model).seed == seed;
  ans_model_free(model);
  ans_context_free(context);
  return there;
}

static int train_seed(const arguments *arguments, const char *word, int length, train_run *run) {
  static char paths[FILES][PATH_BYTES];
  struct arguments own = *arguments;
  if (!read_seed(word, length, &own.seed)) return EXIT_USAGE;
  for (int f = 0; f < FILES; f++) {
    const char *pattern = option_value(arguments, files[f]);
    if (!pattern) continue;
    if (!fill_seed(pattern, word, length, paths[f])) {
      complain("--%s: the path is too long", files[f]);
      return EXIT_USAGE;
    }
    option_replace(&own, files[f], paths[f]);
  }
  if (option_value(arguments, "resume") && finished(paths[0], own.seed)) {
    if (!arguments->quiet) remark("%s exists: seed %.*s is done", paths[0], length, word);
    return EXIT_OK;
  }
  return run(&own);
}

int train_seeds(const arguments *arguments, train_run *run) {
  const char *list = option_value(arguments, "seeds"), *word;
  shard shard;
  int length, first = EXIT_OK;
  if (!shard_read(arguments, &shard) || !words_fit(arguments, list)) return EXIT_USAGE;
  if (shard.any) {
    complain("--shard any has no meaning for seeds: give K/N or auto");
    return EXIT_USAGE;
  }
  for (int i = 0; (word = list_word(list, ',', i, &length)) && !interrupted(); i++) {
    if (!shard_has(&shard, (size_t)i)) continue;
    int code = train_seed(arguments, word, length, run);
    if (first == EXIT_OK) first = code; /* a seed that fails costs no other */
  }
  return first;
}
