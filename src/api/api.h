/* SPDX-License-Identifier: Apache-2.0
 *
 * api.h - what the files of api/ share.
 */
#ifndef API_API_H
#define API_API_H

#include <string.h>

#include "graph/graph.h"
#include "system/system.h"

enum { SETTING_COUNT = 6 };
extern const char *const setting_names[SETTING_COUNT];

/* own, which holds the defaults, <- the members that the caller's struct has. Its first member is its size; 0 is that
 * of the first version that had one, `first`. */
static inline void api_options(void *own, size_t own_size, const void *given, size_t first) {
  size_t size;
  memcpy(&size, given, sizeof size);
  if (size == 0) size = first;
  memcpy(own, given, size < own_size ? size : own_size);
}

/* Up to the end of a struct's member. */
#define API_SIZE_UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* More would only wait, and some systems end the process when so many cannot be made. */
static inline int api_threads(int asked) {
  enum { MOST = 256 };
  return asked < 1 ? 1 : asked > MOST ? MOST : asked;
}

/* Of options: 0 is the default. */
ans_status api_check_precision(ans_context *context, int precision);
ans_status api_check_rate(ans_context *context, double rate);

/* own <- the caller's, or (NULL) the defaults; what no solver can do is refused. */
ans_status api_solver_options(ans_context *context, const ans_solver_options *options, ans_solver_options *own);

/* Complete: the default where the caller says nothing. */
ans_run_rules api_rules(const ans_run_rules *rules);

#endif
