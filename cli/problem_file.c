/* SPDX-License-Identifier: Apache-2.0 */
#include "problem_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ansatz_tools.h"

enum { PATH_BYTES = 4096, INPUT_LIMIT = 1 << 20 /* what the language allows */ };

bool shipped_path(const char *name, char *path, size_t room) {
  /* bin/ansatz beside share/ansatz, or build/ansatz inside the source tree. */
  static const char *const places[] = {"/../share/ansatz/", "/../"};
  char program[PATH_BYTES];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return false;
  program[length] = '\0';
  char *slash = strrchr(program, '/');
  if (!slash) return false;
  *slash = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    int used = snprintf(path, room, "%s%s%s", program, places[i], name);
    if (used > 0 && (size_t)used < room && access(path, R_OK) == 0) return true;
  }
  return false;
}

static ans_status read_input(ans_context *context, ans_problem **problem) {
  char *text;
  size_t length;
  ans_status status = ans_input_read(context, INPUT_LIMIT, &text, &length);
  if (status == ANS_OK) status = ans_problem_parse(context, "standard input", text, length, problem);
  ans_free(text);
  return status;
}

ans_status problem_open(ans_context *context, const char *operand, ans_problem **problem) {
  if (strcmp(operand, "-") == 0) return read_input(context, problem);
  char name[256], path[PATH_BYTES];
  if (access(operand, F_OK) != 0) {
    const char *folder = strchr(operand, '/') ? "" : "families/", *extension = strchr(operand, '.') ? "" : ".pde";
    int used = snprintf(name, sizeof name, "%s%s%s", folder, operand, extension);
    if (used > 0 && (size_t)used < sizeof name && strncmp(name, "families/", 9) == 0 && !strstr(name, "..") &&
        shipped_path(name, path, sizeof path))
      return ans_problem_read(context, path, problem);
  }
  return ans_problem_read(context, operand, problem);
}
