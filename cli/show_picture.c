/* SPDX-License-Identifier: Apache-2.0
 *
 * show_picture.c - the operator graph as a picture. It is drawn into a file; without one of its own it passes through a
 * temporary folder, which the next picture removes where a run was killed before it could.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ansatz_tools.h"
#include "output.h"
#include "show.h"

static const char prefix[] = "ansatz-show-";
enum { SUFFIX = 6, LEFT_SECONDS = 3600 }; /* no picture takes an hour */

/* Everything in the folder, then the folder itself. */
static void remove_folder(int base, const char *name) {
  int descriptor = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
  if (!folder) {
    if (descriptor >= 0) close(descriptor);
    return;
  }
  for (struct dirent *entry; (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      (void)unlinkat(dirfd(folder), entry->d_name, 0);
  closedir(folder);
  (void)unlinkat(base, name, AT_REMOVEDIR);
}

static bool is_left(int base, const char *name) {
  struct stat folder;
  return strncmp(name, prefix, sizeof prefix - 1) == 0 && strlen(name) == sizeof prefix - 1 + SUFFIX &&
         fstatat(base, name, &folder, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(folder.st_mode) &&
         folder.st_uid == geteuid() && folder.st_mtime < time(NULL) - LEFT_SECONDS;
}

static void sweep(const char *path) {
  DIR *base = opendir(path);
  if (!base) return;
  for (struct dirent *entry; (entry = readdir(base));)
    if (is_left(dirfd(base), entry->d_name)) remove_folder(dirfd(base), entry->d_name);
  closedir(base);
}

static void copy_to_stdout(const char *path) {
  char bytes[65536];
  FILE *file = fopen(path, "rb");
  for (size_t got; file && (got = fread(bytes, 1, sizeof bytes, file)) > 0;) fwrite(bytes, 1, got, stdout);
  if (file) fclose(file);
}

/* The exit code; a folder that cannot be made was reported. */
static int draw_to_stdout(ans_context *context, const shown *shown, const char *extension) {
  const char *named = getenv("TMPDIR"), *base = named && *named ? named : "/tmp";
  char folder[1024], temporary[1100];
  sweep(base);
  snprintf(folder, sizeof folder, "%s/%sXXXXXX", base, prefix);
  if (!mkdtemp(folder)) {
    complain("cannot make a temporary directory: %s", strerror(errno));
    return EXIT_FILE;
  }
  snprintf(temporary, sizeof temporary, "%s/graph.%s", folder, extension);
  int code = show_picture(context, shown, extension, temporary);
  if (code == EXIT_OK) copy_to_stdout(temporary);
  remove_folder(AT_FDCWD, folder);
  return code;
}

int show_picture(ans_context *context, const shown *shown, const char *extension, const char *path) {
  if (!path && isatty(STDOUT_FILENO)) {
    complain("a figure cannot be printed on a terminal: give a file with --output");
    return EXIT_USAGE;
  }
  if (!path) return draw_to_stdout(context, shown, extension);
  ans_status status = ans_graph_figure(context, shown->graph, shown->instance, path);
  return status == ANS_OK ? EXIT_OK : report_failure(context, status);
}
