/* SPDX-License-Identifier: Apache-2.0
 *
 * error_map.h - the absolute error of a case at the end of its adaptation, over two coordinates, as a small JSON file
 * beside the job's record. Values are kept as whole thousandths of the field's largest: enough for a picture and for
 * the mean over seeds, in a third of the bytes.
 */
#ifndef LAB_ERROR_MAP_H
#define LAB_ERROR_MAP_H

#include "ansatz.h"
#include "job_record.h"

enum { ERROR_MAP_FORMAT = 1, ERROR_MAP_PARTS = 1000, ERROR_MAP_MOST = 1024 /* nodes of an axis */ };

typedef struct error_map {
  char settings[RECORD_NAME]; /* of the record that it belongs to */
  long step;
  size_t sizes[2], field_count;
  char names[2][RECORD_NAME], fields[RECORD_MAX_FIELDS][RECORD_NAME];
  double *axes[2];                   /* [sizes], owned */
  double *values[RECORD_MAX_FIELDS]; /* [sizes[0]][sizes[1]], not negative, owned */
} error_map;

/* |answer - reference| at every n-th node of both axes of their grid. NULL: no memory, or not two coordinates. Free it
 * with free. */
char *error_map_text(const char *settings, long step, const ans_solution *answer, const ans_solution *reference,
                     size_t every);

/* False with a sentence when the file is there but is no map; *found tells whether it is there. */
bool error_map_read(const char *path, error_map *map, bool *found, char *message, size_t room);
void error_map_drop(error_map *map);

#endif
