/* SPDX-License-Identifier: Apache-2.0 */
#include "problem_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ansatz_tools.h"
#include "options.h"

enum {
  PATH_BYTES = 4096,
  SHIPPED_NAMES = 64,
  SHIPPED_BYTES = 64,
  INPUT_LIMIT = 1 << 20 /* what the language allows */
};

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

/* ---- Models ------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

bool model_path(const char *operand, char *path, size_t room) {
  int used = snprintf(path, room, "%s", operand);
  if (used > 0 && (size_t)used < room && access(path, F_OK) == 0) return !ends_with(operand, ".pde");
  char name[512];
  const char *folder = strchr(operand, '/') ? "" : "models/",
             *extension = ends_with(operand, ".safetensors") ? "" : ".safetensors";
  used = snprintf(name, sizeof name, "%s%s%s", folder, operand, extension);
  return used > 0 && (size_t)used < sizeof name && shipped_path(name, path, room);
}

/* ---- Names that are nearly right ---------------------------------------------------------------------- */

typedef struct shipped_names {
  char names[SHIPPED_NAMES][SHIPPED_BYTES]; /* without folder and extension */
  size_t count;
} shipped_names;

static void add_folder(const char *folder, shipped_names *names) {
  char path[PATH_BYTES];
  DIR *stream = shipped_path(folder, path, sizeof path) ? opendir(path) : NULL;
  for (struct dirent *entry; stream && names->count < SHIPPED_NAMES && (entry = readdir(stream));) {
    const char *dot = strrchr(entry->d_name, '.');
    bool ours = dot && (strcmp(dot, ".pde") == 0 || strcmp(dot, ".safetensors") == 0 || strcmp(dot, ".json") == 0);
    if (ours && dot - entry->d_name < SHIPPED_BYTES)
      snprintf(names->names[names->count++], SHIPPED_BYTES, "%.*s", (int)(dot - entry->d_name), entry->d_name);
  }
  if (stream) closedir(stream);
}

/* "families/fishr.pde" -> "fishr" with the folders "families"; false: it is in a folder where nothing ships. */
static bool bare_name(const char *operand, const char *folders, char name[SHIPPED_BYTES]) {
  char folder[SHIPPED_BYTES];
  const char *slash = strrchr(operand, '/'), *begin = slash ? slash + 1 : operand, *dot = strrchr(begin, '.');
  size_t length = dot ? (size_t)(dot - begin) : strlen(begin);
  if (slash && (size_t)(slash - operand) >= sizeof folder) return false;
  if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - operand), operand);
  if ((slash && list_place(folders, '|', folder) < 0) || length >= SHIPPED_BYTES) return false;
  snprintf(name, SHIPPED_BYTES, "%.*s", (int)length, begin);
  return true;
}

const char *shipped_suggestion(const char *operand, const char *folders, char text[ANS_SUGGESTION_BYTES]) {
  shipped_names shipped = {.count = 0};
  const char *pointers[SHIPPED_NAMES], *word;
  char name[SHIPPED_BYTES], folder[SHIPPED_BYTES];
  int length;
  text[0] = '\0';
  if (access(operand, F_OK) == 0 || !bare_name(operand, folders, name)) return text;
  for (int i = 0; (word = list_word(folders, '|', i, &length)); i++) {
    snprintf(folder, sizeof folder, "%.*s", length, word);
    add_folder(folder, &shipped);
  }
  for (size_t i = 0; i < shipped.count; i++) {
    if (strcmp(shipped.names[i], name) == 0) return text; /* it is right */
    pointers[i] = shipped.names[i];
  }
  return ans_suggestion(name, pointers, shipped.count, text);
}

/* ---- Problems ------------------------------------------------------------------------------------------ */

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
    char near[ANS_SUGGESTION_BYTES], sentence[PATH_BYTES];
    snprintf(sentence, sizeof sentence, "cannot open %s: %s%s", operand, strerror(ENOENT),
             shipped_suggestion(operand, "families", near));
    if (*near) return ans_context_fail(context, ANS_FILE, sentence);
  }
  return ans_problem_read(context, operand, problem);
}
