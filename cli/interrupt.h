/* SPDX-License-Identifier: Apache-2.0
 *
 * interrupt.h - Ctrl-C, SIGTERM, SIGUSR1 and a closed terminal for commands that have something to save. (Slurm warns a
 * job of its end by SIGUSR1 when it is asked to; its end is SIGTERM, too.)
 *
 * Without interrupt_begin a signal ends the program at once. After it, the first signal only sets a flag that the
 * command's loop reads; a program whose loop has not read it after ten seconds is ended. A SIGINT or SIGTERM after the
 * first ends the program, a second SIGHUP or SIGUSR1 does not. A SIGHUP that was ignored at the start (nohup) stays so.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_begin(void);
bool interrupted(void);
const volatile int *interrupt_flag(void); /* not zero after a signal: for a run's rules */
int interrupt_code(void); /* 130 for Ctrl-C, 143 for SIGTERM, 138 for SIGUSR1, 129 for SIGHUP, 0 when nothing
                             came */

#endif
