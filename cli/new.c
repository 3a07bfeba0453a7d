/* SPDX-License-Identifier: Apache-2.0
 *
 * new.c - `ansatz new`: a commented family to start from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ansatz_tools.h"
#include "json.h"
#include "options.h"
#include "output.h"

static const char starter[] =
    "# %s: a substance that spreads, is carried along, and grows until it saturates.\n"
    "# Change a line, then see what the program understands:  ansatz show %s\n"
    "# and whether it holds together:  ansatz check %s\n"
    "\n"
    "# Where it happens. Without `periodic`, [0, 1] needs boundary conditions, for example\n"
    "#   boundary u at x = 0: u = 0 soft\n"
    "# one at each end here, because of u_xx.\n"
    "coordinate x in [0, 1) periodic\n"
    "coordinate t in [0, 1] time\n"
    "\n"
    "# What is sought: one equation for each field.\n"
    "field u\n"
    "\n"
    "# What differs between members of the family, with its range. `log`: varies over orders of magnitude.\n"
    "# `optional`: a structure below may leave it out, and the terms it stands in with it.\n"
    "coefficient D in [0.005, 0.02] log\n"
    "coefficient a in [0.2, 0.8] optional\n"
    "coefficient r in [0.5, 1.5] optional\n"
    "\n"
    "# u_xx is the second derivative in x; d(u^2, x) also works. Everything is multiplied out for you.\n"
    "equation u: u_t - D*u_xx + a*u_x - r*u*(1-u) = 0\n"
    "\n"
    "initial u = 0.4 + 0.2*sin(2*pi*x)\n"
    "\n"
    "# Which combinations there are. Training sees structures; a `held` one is kept back to test on.\n"
    "structure spreading without a, r\n"
    "structure carried   without r\n"
    "structure growing   without a\n"
    "held      all\n"
    "\n"
    "# Members with a name, to look at and to compare with.\n"
    "case first all: D=0.01 a=0.5 r=1\n";

/* "folder/name" or "folder/name.pde" -> the path and, in it, the name alone. */
static bool split_path(const char *operand, char *path, size_t room, char *name, size_t name_room) {
  const char *extension = strlen(operand) > 4 && strcmp(operand + strlen(operand) - 4, ".pde") == 0 ? "" : ".pde";
  int used = snprintf(path, room, "%s%s", operand, extension);
  const char *slash = strrchr(path, '/');
  int named = snprintf(name, name_room, "%s", slash ? slash + 1 : path);
  return used > 0 && (size_t)used < room && named > 4 && (size_t)named < name_room;
}

/* The path stands in the text, which is UTF-8 without control characters. */
static bool can_be_written_down(const char *path) {
  size_t length;
  while (*path && (length = printable_bytes(path)) > 0) path += length;
  return *path == '\0';
}

static int write_starter(ans_context *context, const char *path, const char *name) {
  char text[sizeof starter + 1024];
  int length = snprintf(text, sizeof text, starter, name, path, path);
  if (length < 0 || (size_t)length >= sizeof text) {
    complain("the name is too long");
    return EXIT_USAGE;
  }
  ans_status status = ans_file_write(context, path, text, (size_t)length);
  return status == ANS_OK ? EXIT_OK : report_failure(context, status);
}

static int run_new(const arguments *arguments) {
  char path[512], name[256];
  if (!split_path(arguments->operands[0], path, sizeof path, name, sizeof name) || !can_be_written_down(path)) {
    complain("'%s' is not a valid file name", arguments->operands[0]);
    return EXIT_USAGE;
  }
  if (access(path, F_OK) == 0 && !option_value(arguments, "force")) {
    complain("%s already exists; --force replaces it", path);
    return EXIT_FILE;
  }
  ans_context *context;
  if (ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  int code = write_starter(context, path, name);
  ans_context_free(context);
  if (code != EXIT_OK) return code;
  if (arguments->json) return print_json(json_pack("{s:s}", "file", path));
  printf("%s\n", path);
  if (!arguments->quiet)
    remark("see what the program understands of it: ansatz show %s; try it: ansatz check %s", path, path);
  return EXIT_OK;
}

const command new_command = {
    .name = "new",
    .operands = "NAME",
    .summary = "write a commented family to start from",
    .description = "Writes NAME.pde: a small family with comments beside the statements that most families need. "
                   "Change it into yours.",
    .options = (const option[]){{"force", 0, NULL, "replace a file that is already there"}, {0}},
    .examples = (const example[]){{"new mine", "write mine.pde"}, {0}},
    .run = run_new,
};
