/* SPDX-License-Identifier: Apache-2.0
 *
 * api.h - what the files of api/ share.
 */
#ifndef API_API_H
#define API_API_H

#include "graph/graph.h"
#include "system/system.h"

enum { SETTING_COUNT = 6 };
extern const char *const setting_names[SETTING_COUNT];

/* More would only wait, and some systems end the process when so many cannot be made. */
static inline int api_threads(int asked) {
  enum { MOST = 256 };
  return asked < 1 ? 1 : asked > MOST ? MOST : asked;
}

#endif
