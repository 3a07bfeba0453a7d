/* SPDX-License-Identifier: Apache-2.0
 *
 * family.h - the shipped families, for the tests that go through all of them.
 */
#ifndef TESTS_SYSTEM_FAMILY_H
#define TESTS_SYSTEM_FAMILY_H

#include <dirent.h>

#include "check.h"
#include "system/system.h"

static inline int is_problem_file(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".pde") == 0;
}

/* Calls `visit` with the path and bare name of every problem file of a directory, in order; returns how many. */
static inline int each_problem_file(const char *directory, void (*visit)(const char *path, const char *name)) {
  struct dirent **entries;
  int count = scandir(directory, &entries, is_problem_file, alphasort);
  assert_true(count > 0);
  for (int i = 0; i < count; i++) {
    char path[1024], name[256];
    snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
    snprintf(name, sizeof name, "%.*s", (int)strlen(entries[i]->d_name) - 4, entries[i]->d_name);
    visit(path, name);
    free(entries[i]);
  }
  free(entries);
  return count;
}

static inline ans_problem *read_family(ans_context *context, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.pde", FAMILIES, name);
  ans_problem *problem;
  assert_ok(context, system_read(context, path, &problem));
  return problem;
}

static inline ans_problem *parse(ans_context *context, const char *text) {
  ans_problem *problem;
  assert_ok(context, system_parse(context, "test.pde", NULL, text, strlen(text), &problem));
  return problem;
}

static inline ans_instance *case_instance(ans_context *context, const ans_problem *problem, int index) {
  ans_instance *instance;
  assert_true(index >= 0);
  assert_ok(context, system_instance(context, problem, problem->cases[index].structure, problem->cases[index].values,
                                     false, &instance));
  return instance;
}

#endif
