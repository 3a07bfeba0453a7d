/* SPDX-License-Identifier: Apache-2.0
 *
 * row_order.h - in what order rows are taken: the longest first, where an earlier run to the same output has left their
 * times. Who takes a long row last makes all others wait. The order of the output is the table's, whatever this is.
 */
#ifndef CLI_ROW_ORDER_H
#define CLI_ROW_ORDER_H

#include <stdint.h>

#include "table.h"

typedef struct row_order {
  uint32_t *rows; /* [rows of the table]; NULL: the table's own order */
} row_order;

/* From OUTPUT.times.csv, if it is there and of this table: rows of the same number and name. A row whose time is not
 * known may be the longest and comes before the others. A file that cannot be used changes nothing and is remarked upon
 * unless `quiet`. */
void row_order_read(const char *output, const table *table, bool quiet, row_order *order);
void row_order_drop(row_order *order);

static inline size_t row_order_at(const row_order *order, size_t place) {
  return order->rows ? order->rows[place] : place;
}

#endif
