/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - the program: reads the command line, runs one command, ends with its exit code.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ansatz_tools.h"
#include "commands.h"
#include "commit.h"
#include "fellows.h"
#include "help.h"
#include "output.h"

/* OpenBLAS asks this function of its own how many threads to start before main begins. Each maps 128 MiB, and none is
 * ever used: the library's threads are its own. A limit on memory made the program hang there. */
__attribute__((visibility("default"))) int openblas_num_threads_env(void);
int openblas_num_threads_env(void) { return 1; }

/* A pinned instruction set that is not here would silently be another one. */
static bool isa_is_here(void) {
  const char *pinned = getenv("ANSATZ_ISA"), *name;
  char names[64] = "";
  if (!pinned || !*pinned) return true;
  for (size_t i = 0; (name = ans_isa_name(i)); i++) {
    if (strcmp(name, pinned) == 0) return true;
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", name);
  }
  complain("ANSATZ_ISA is '%s', but this processor has: %s", pinned, names);
  return false;
}

static int run(int count, char **words) {
  arguments arguments;
  if (!arguments_read(count, words, &arguments)) return EXIT_USAGE;
  if (arguments.version) {
    printf("ansatz %s%s%s\n", ans_version(), build_commit[0] ? " " : "", build_commit);
    return EXIT_OK;
  }
  if (!arguments.command) {
    print_overview(arguments.help ? stdout : stderr);
    return arguments.help ? EXIT_OK : EXIT_USAGE;
  }
  if (arguments.help) {
    print_help(stdout, arguments.command);
    return EXIT_OK;
  }
  if (!isa_is_here() || !option_files_differ(&arguments, NULL, NULL)) return EXIT_USAGE;
  return arguments.command->run(&arguments);
}

/* A stream that was closed must not become the first file we open: it is replaced by one that refuses all use. */
static void hold_streams(void) {
  for (int descriptor = 0; descriptor < 3; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0) (void)open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

/* A stack that cannot grow ends the program without a word. Matrix products have 160 KiB of theirs there: what the
 * deepest call needs is taken before memory can be short. */
static __attribute__((noinline)) void grow_stack(void) {
  volatile char room[512 << 10];
  for (size_t i = 0; i < sizeof room; i += 4096) room[i] = 0;
}

int main(int count, char **words) {
  grow_stack();
  hold_streams();
  output_begin();
  /* A closed pipe and a file past its size limit should be reported as write errors, not kill the process. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  int code = run(count, words);
  fellows_leave();
  return output_finish() || code != EXIT_OK ? code : EXIT_FILE;
}
