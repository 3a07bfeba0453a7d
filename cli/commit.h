/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.h - what the program was built from; records of experiments keep it.
 */
#ifndef CLI_COMMIT_H
#define CLI_COMMIT_H

/* The commit, with "-dirty" when files were changed since; "" outside a repository. */
extern const char build_commit[];

#endif
