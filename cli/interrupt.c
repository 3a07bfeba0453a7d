/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t received; /* an int on every system with POSIX signals: interrupt_flag says so */

enum { GRACE = 10 }; /* seconds until a program that does not look at the flag is ended */

static void give_up(int number) {
  (void)number;
  _exit(128 + received);
}

/* The next SIGINT or SIGTERM, whichever comes, ends the program. */
static void note(int number) {
  if (!received) {
    received = number;
    signal(SIGALRM, give_up);
    alarm(GRACE);
  }
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
}

/* A closed terminal's SIGHUP may come twice, from the kernel and from the shell, so that the second one must not end
 * the program while it saves. */
static void watch_terminal(void) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART}, before;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
}

void interrupt_begin(void) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  watch_terminal();
}

const volatile int *interrupt_flag(void) { return &received; }

bool interrupted(void) {
  if (received) alarm(0); /* seen: the command saves and ends */
  return received != 0;
}

int interrupt_code(void) { return received ? 128 + received : 0; }
