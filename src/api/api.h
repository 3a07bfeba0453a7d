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

#endif
