/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t received;

static void note(int number) { received = number; }

void interrupt_begin(void) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void) { return received != 0; }

int interrupt_code(void) { return received ? 128 + received : 0; }
