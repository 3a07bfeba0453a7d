/* SPDX-License-Identifier: Apache-2.0
 *
 * commands.c - the table of commands. A new command is a file with its `command`, and a line here.
 */
#include "commands.h"

#include <stddef.h>

const option global_options[] = {
    {"json", 0, NULL, "print the result as one JSON object on standard output"},
    {"seed", 0, "N", "seed of every random number, 0 to 9223372036854775807 (default 101)"},
    {"threads", 0, "N",
     "threads to compute with (default: OMP_NUM_THREADS, SLURM_CPUS_PER_TASK, or all processors); no result depends on "
     "it"},
    {"quiet", 'q', NULL, "no progress and no remarks, only results and errors"},
    {"help", 'h', NULL, "print help and stop"},
    {0},
};

const command *const commands[] = {
#define COMMAND_POINTER(name) &name##_command,
    COMMAND_LIST(COMMAND_POINTER)
#undef COMMAND_POINTER
        NULL,
};
