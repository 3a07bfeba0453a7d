/* SPDX-License-Identifier: Apache-2.0
 *
 * number.h - numbers as text with a point, whatever the locale of the program that the library is part of.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

/* As strtod and vsnprintf, in the locale "C". */
double number_read(const char *text, char **end);
int number_print(char *text, size_t room, const char *format, va_list arguments);

#endif
