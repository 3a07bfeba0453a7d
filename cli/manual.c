/* SPDX-License-Identifier: Apache-2.0
 *
 * manual.c - the manual page ansatz.1, printed from the table of commands when the program is built.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "help.h"
#include "output.h"

/* troff reads backslashes, and dots and quotes at the start of a line. */
static void print_roff(const char *text) {
  if (*text == '.' || *text == '\'') fputs("\\&", stdout);
  for (; *text; text++) {
    if (*text == '\\')
      fputs("\\e", stdout);
    else if (*text == '-')
      fputs("\\-", stdout);
    else
      fputc(*text, stdout);
  }
}

static void print_line(const char *macro, const char *text, const char *end) {
  fputs(macro, stdout);
  print_roff(text);
  fputs(end, stdout);
}

static void print_options_roff(const option *options) {
  for (; options && options->name; options++) {
    fputs(".TP\n", stdout);
    if (options->letter) printf("\\fB\\-%c\\fR, ", options->letter);
    print_line("\\fB\\-\\-", options->name, "\\fR");
    if (options->value) print_line(" \\fI", options->value, "\\fR");
    print_line("\n", options->help, ".\n");
  }
}

static void print_command_roff(const command *command) {
  print_line(".SS ansatz ", command->name, "");
  if (*command->operands) print_line(" ", command->operands, "");
  print_line("\n", command->description, "\n");
  print_options_roff(command->options);
  for (const example *e = command->examples; e && e->line; e++) {
    print_line(".PP\n", e->meaning, ":\n.PP\n.RS\n.EX\n");
    print_line("ansatz ", e->line, "\n.EE\n.RE\n");
  }
}

static int run_manual(const arguments *arguments) {
  (void)arguments;
  printf(".\\\" Printed by `ansatz manual`.\n.TH ANSATZ 1 \"\" \"ansatz %s\" \"User Commands\"\n", ans_version());
  print_line(".SH NAME\nansatz \\- ", program_summary, "\n");
  fputs(".SH SYNOPSIS\n\\fBansatz\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n", stdout);
  print_line(".SH DESCRIPTION\n", program_description, "\n.SH COMMANDS\n");
  for (const command *const *c = commands; *c; c++)
    if (!(*c)->hidden) print_command_roff(*c);
  fputs(".SH OPTIONS OF EVERY COMMAND\n", stdout);
  print_options_roff(global_options);
  fputs(".SH EXIT STATUS\n", stdout);
  for (const exit_meaning *e = exit_meanings; e->meaning; e++) {
    printf(".TP\n%d\n", e->code);
    print_line("", e->meaning, ".\n");
  }
  fputs(".SH ENVIRONMENT\n.TP\nNO_COLOR\nWhen set and not empty, no colours.\n"
        ".TP\nANSATZ_CACHE, XDG_CACHE_HOME\nWhere `ansatz reference` keeps its answers.\n"
        ".TP\nTMPDIR\nWhere a picture for standard output is drawn first.\n"
        ".TP\nANSATZ_ISA\nPins the instruction set: baseline, avx2 or avx512. One that is not here is refused.\n",
        stdout);
  return EXIT_OK;
}

const command manual_command = {
    .name = "manual",
    .operands = "",
    .summary = "print the manual page",
    .description = "Prints the manual page in the language of troff.",
    .examples = (const example[]){{"manual | man -l -", "read it"}, {0}},
    .run = run_manual,
    .hidden = true,
};
