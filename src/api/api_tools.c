/* SPDX-License-Identifier: Apache-2.0
 *
 * api_tools.c - the functions of ansatz_tools.h, which the program has beyond the library.
 */
#include "ansatz_tools.h"
#include "base/base.h"
#include "solution/graph_figure.h"

ans_status ans_file_write(ans_context *context, const char *path, const void *bytes, size_t size) {
  return file_write(context, path, bytes, size);
}

ans_status ans_graph_figure(ans_context *context, const ans_graph *graph, const ans_instance *instance,
                            const char *path) {
  return graph_figure_draw(context, graph, instance, path);
}
