/* SPDX-License-Identifier: Apache-2.0
 *
 * api_tools.c - the functions of ansatz_tools.h, which the program has beyond the library.
 */
#include "ansatz_tools.h"

#include <string.h>

#include "base/base.h"
#include "graph/graph.h"
#include "numeric/kernels/isa.h"
#include "solution/graph_figure.h"
#include "text/suggest.h"

ans_status ans_input_read(ans_context *context, size_t limit, char **bytes, size_t *size) {
  return file_read_input(context, limit, bytes, size);
}

ans_status ans_file_write(ans_context *context, const char *path, const void *bytes, size_t size) {
  return file_write(context, path, bytes, size);
}

ans_status ans_context_fail(ans_context *context, ans_status status, const char *sentence) {
  return context_fail(context, status, "%s", sentence);
}

/* Forward, backward and the gradient of the weights, for a value and one derivative of every field. Memory: two bases
 * of each layer with gradient, two moments and three copies; of every field the weights, packed ones, their gradient
 * and its eight parts; the points. */
ans_cost ans_step_cost(const ans_problem *problem, bool training) {
  const system_budget *budget = training ? &problem->train : &problem->adapt;
  double points = (double)budget->points + budget->initial_points + budget->boundary_points;
  double weights = (double)problem->network.width * problem->network.width * problem->network.layers;
  double fields = problem->field_count;
  return (ans_cost){.gflop = 1e-9 * 3 * 2 * 2 * points * weights * fields,
                    .bytes = sizeof(float) * weights * (2 * 7 + fields * 11) +
                             sizeof(double) * points * problem->coordinate_count};
}

ans_status ans_graph_figure(ans_context *context, const ans_graph *graph, const ans_instance *instance,
                            const char *path) {
  return graph_figure_draw(context, graph, instance, path);
}

bool ans_descriptor_sees(const ans_problem *problem, const char *kind, size_t symbol) {
  descriptor_kind number;
  return symbol < (size_t)problem->symbol_count && descriptor_parse(kind, &number) &&
         descriptor_sees(problem, number, (int)symbol);
}

const char *ans_suggestion(const char *word, const char *const *names, size_t count, char text[ANS_SUGGESTION_BYTES]) {
  _Static_assert((int)ANS_SUGGESTION_BYTES == (int)SUGGEST_ROOM, "the header states the room that is used");
  suggestion suggestion = suggest_for(word, strlen(word));
  for (size_t i = 0; i < count; i++) suggest_offer(&suggestion, names[i]);
  return suggest_phrase(&suggestion, text);
}

const char *ans_isa_name(size_t index) { return isa_name(index); }
