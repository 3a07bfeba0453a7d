/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Made once and kept. Two threads may make it at the same time; one of the two is then given back. Without memory
 * for it the locale stays as it is. */
static locale_t plain(void) {
  static _Atomic(locale_t) made;
  locale_t known = atomic_load(&made);
  if (known) return known;
  locale_t fresh = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!fresh || atomic_compare_exchange_strong(&made, &known, fresh)) return fresh;
  freelocale(fresh);
  return known;
}

/* LC_GLOBAL_LOCALE and 0 are both valid to go back to. */
static locale_t enter(void) {
  locale_t locale = plain();
  return locale ? uselocale(locale) : (locale_t)0;
}

double number_read(const char *text, char **end) {
  locale_t before = enter();
  double number = strtod(text, end);
  uselocale(before);
  return number;
}

int number_print(char *text, size_t room, const char *format, va_list arguments) {
  locale_t before = enter();
  int length = vsnprintf(text, room, format, arguments);
  uselocale(before);
  return length;
}
