/* SPDX-License-Identifier: Apache-2.0
 *
 * help.h - help on the terminal, printed from the table of commands.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "options.h"

void print_overview(FILE *stream);
void print_help(FILE *stream, const command *command);

/* Lines that help, manual page and completions share. */
extern const char program_summary[];
extern const char program_description[];

typedef struct exit_meaning {
  int code;
  const char *meaning;
} exit_meaning;
extern const exit_meaning exit_meanings[]; /* ends with a NULL meaning */

#endif
