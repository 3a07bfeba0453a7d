/* SPDX-License-Identifier: Apache-2.0
 *
 * problem_file.h - the FILE that commands take: a path, "-" for standard input, or a shipped family
 * ("fisher", "families/fisher.pde").
 */
#ifndef CLI_PROBLEM_FILE_H
#define CLI_PROBLEM_FILE_H

#include "ansatz.h"
#include "ansatz_tools.h"

/* Reads the problem that `operand` names. Not told on failure: that is report_failure's part. */
ans_status problem_open(ans_context *context, const char *operand, ans_problem **problem);

/* The path of a shipped file ("families/fisher.pde", "models/x.safetensors"): in the source tree of a built program, in
 * share/ansatz of an installed one. False when there is none. */
bool shipped_path(const char *name, char *path, size_t room);

/* "; did you mean 'fisher-graph'?" when `operand` is no file but nearly the name of something that ships in one of
 * these folders ("models|families"), else "". Returns `text`. */
const char *shipped_suggestion(const char *operand, const char *folders, char text[ANS_SUGGESTION_BYTES]);

/* The path of a model, also of one that ships: "fisher-graph" or "models/fisher-graph.safetensors". False: no such
 * file, or a problem. */
bool model_path(const char *operand, char *path, size_t room);

#endif
