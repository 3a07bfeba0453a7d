/* SPDX-License-Identifier: Apache-2.0
 *
 * quiet.c - the parts of the program that its readers of files refer to, without any output.
 */
#include "ansatz_tools.h"
#include "cli/options.h"
#include "cli/output.h"

const command *const commands[] = {NULL};
const option global_options[] = {{0}};

void complain(const char *format, ...) { (void)format; }

const char *ans_suggestion(const char *word, const char *const *names, size_t count, char text[ANS_SUGGESTION_BYTES]) {
  (void)word, (void)names, (void)count, (void)text;
  return "";
}
