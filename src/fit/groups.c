/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/groups.h"

#include <string.h>

void groups_free(ans_groups *groups) {
  if (!groups) return;
  for (size_t i = 0; i < groups->count; i++) measurements_free(groups->groups[i].data);
  memory_give(groups->groups);
  memory_give(groups);
}

static bool is_named(const measured_group *group, const char *name, size_t length) {
  return strlen(group->name) == length && memcmp(group->name, name, length) == 0;
}

static ans_status begin_group(ans_context *context, ans_groups *groups, const ans_problem *problem, const char *name,
                              size_t length) {
  FAIL_IF(groups->count == GROUPS_MOST, context, ANS_UNSUPPORTED, "there are more than %d groups", GROUPS_MOST);
  if (groups->count == groups->room) {
    size_t room = groups->room ? 2 * groups->room : 8, size = sizeof *groups->groups;
    measured_group *larger = memory_resize(groups->groups, groups->room * size, room * size);
    if (!larger) return context_no_memory(context);
    groups->groups = larger;
    groups->room = room;
  }
  measured_group *group = &groups->groups[groups->count];
  TRY(measurements_new(context, problem, &group->data));
  memcpy(group->name, name, length);
  group->name[length] = '\0';
  groups->last = groups->count++;
  return ANS_OK;
}

ans_status groups_find(ans_context *context, ans_groups *groups, const ans_problem *problem, const char *name,
                       size_t length, measurements **data) {
  size_t at = groups->last;
  if (at >= groups->count || !is_named(&groups->groups[at], name, length)) {
    for (at = 0; at < groups->count && !is_named(&groups->groups[at], name, length);) at++;
    if (at == groups->count) TRY(begin_group(context, groups, problem, name, length));
    groups->last = at;
  }
  *data = groups->groups[at].data;
  return ANS_OK;
}
