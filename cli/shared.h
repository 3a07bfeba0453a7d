/* SPDX-License-Identifier: Apache-2.0
 *
 * shared.h - what the program's commands have in common, for those that stand in a folder of their own (lab/): the
 * option table, sentences and exit codes, JSON, the progress line, signals, shards, the shipped files, the build's
 * commit.
 */
#ifndef CLI_SHARED_H
#define CLI_SHARED_H

#include "commit.h"
#include "fellows.h"
#include "interrupt.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "problem_file.h"
#include "progress.h"
#include "shard.h"

#endif
