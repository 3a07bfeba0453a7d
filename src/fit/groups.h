/* SPDX-License-Identifier: Apache-2.0
 *
 * groups.h - several data sets from one table: a column names the set that a line belongs to.
 */
#ifndef FIT_GROUPS_H
#define FIT_GROUPS_H

#include "fit/measurements.h"

enum { GROUP_NAME = 64, GROUPS_MOST = 4096 };

typedef struct measured_group {
  char name[GROUP_NAME];
  measurements *data;
} measured_group;

typedef struct ans_groups {
  size_t count, room, last; /* last: where the line before belonged */
  measured_group *groups;   /* in the order in which they begin */
} ans_groups;

/* From a CSV file; column NULL: all lines are one group without a name. */
ans_status groups_read(ans_context *context, const ans_problem *problem, const char *path, const char *column,
                       ans_groups **result);
void groups_free(ans_groups *groups); /* accepts NULL */

/* *data <- the measurements of the group of this name, which begins here if it is new.
 * The name is shorter than GROUP_NAME. */
ans_status groups_find(ans_context *context, ans_groups *groups, const ans_problem *problem, const char *name,
                       size_t length, measurements **data);

#endif
