/* SPDX-License-Identifier: Apache-2.0
 *
 * measure.h - what a table reports of a record: a name, at times with an argument, like "final" or "step:500".
 * experiments/README.md lists them. Errors are averaged over fields (or are those of one field) and then over cases.
 */
#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include "job_record.h"

/* Which of two values is the better one. Seconds of another machine are not compared at all. */
typedef enum measure_direction { LESS_IS_BETTER, MORE_IS_BETTER, OTHER_HARDWARE } measure_direction;

bool measure_known(const char *measure);

/* Of a known measure: */
measure_direction measure_better(const char *measure);
bool measure_is_pooled(const char *measure); /* over the cases of all seeds together, by measure_pooled */

/* NaN when the record cannot say. */
double measure_value(const record *record, const char *measure, const char *field, const char *const *cases,
                     size_t case_count);

/* The median over all cases of all records that have them. */
double measure_pooled(const record *records, size_t count, const char *measure, const char *const *cases,
                      size_t case_count);

#endif
