/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - the program.
 */
#include <stdio.h>

#include "ansatz.h"

int main(void) {
  printf("ansatz %s\n", ans_version());
  return 0;
}
