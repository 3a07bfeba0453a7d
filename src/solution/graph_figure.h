/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_figure.h - the operator graph as a picture: fields, derivatives, terms and residuals in four columns.
 */
#ifndef SOLUTION_GRAPH_FIGURE_H
#define SOLUTION_GRAPH_FIGURE_H

#include "graph/graph.h"

/* SVG, PDF or PNG by the path's extension. `graph` must be the instance's own. */
ans_status graph_figure_draw(ans_context *context, const ans_graph *graph, const ans_instance *instance,
                             const char *path);

#endif
