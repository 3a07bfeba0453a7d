/* SPDX-License-Identifier: Apache-2.0
 *
 * commands.h - every command, in the order in which help lists them.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

/* clang-format off */
#define COMMAND_LIST(X) \
  X(show)               \
  X(train)              \
  X(solve)              \
  X(merge)              \
  X(fit)                \
  X(eval)               \
  X(new)                \
  X(check)              \
  X(reference)          \
  X(bench)              \
  X(reproduce)          \
  X(help)               \
  X(completion)         \
  X(manual)
/* clang-format on */

#define COMMAND_DECLARATION(name) extern const command name##_command;
COMMAND_LIST(COMMAND_DECLARATION)
#undef COMMAND_DECLARATION

#endif
