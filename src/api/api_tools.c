/* SPDX-License-Identifier: Apache-2.0
 *
 * api_tools.c - the functions of ansatz_tools.h, which the program has beyond the library.
 */
#include "ansatz_tools.h"

#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/base.h"
#include "estimate/estimate.h"
#include "graph/graph.h"
#include "numeric/kernels/isa.h"
#include "solution/graph_figure.h"
#include "text/suggest.h"
#include "training/safetensors.h"
#include "training/training.h"

ans_status ans_input_read(ans_context *context, size_t limit, char **bytes, size_t *size) {
  return file_read_input(context, limit, bytes, size);
}

ans_status ans_file_write(ans_context *context, const char *path, const void *bytes, size_t size) {
  return file_write(context, path, bytes, size);
}

ans_status ans_file_is_solver(ans_context *context, const char *path, bool *is_solver) {
  safetensors *file;
  *is_solver = false;
  TRY(safetensors_read(context, path, &file));
  const char *kind = safetensors_note(file, "kind");
  *is_solver = kind && strcmp(kind, "solver") == 0;
  safetensors_free(file);
  return ANS_OK;
}

ans_status ans_context_fail(ans_context *context, ans_status status, const char *sentence) {
  return context_fail(context, status, "%s", sentence);
}

/* SplitMix64. */
static double uniform(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

ans_status ans_instance_draw(ans_context *context, const ans_problem *problem, size_t structure, long member,
                             uint64_t seed, ans_instance **instance) {
  uint64_t state = (uint64_t)member * 0x2545f4914f6cdd1du + seed;
  double values[SYSTEM_MAX_SYMBOLS];
  for (size_t i = 0; i < SYSTEM_MAX_SYMBOLS; i++) {
    ans_symbol symbol = ans_problem_symbol(problem, i);
    double share = uniform(&state);
    values[i] = (double)NAN;
    if (!symbol.name || symbol.kind == ANS_DERIVED || !ans_structure_has(problem, structure, i)) continue;
    values[i] = symbol.logarithmic ? symbol.low * pow(symbol.high / symbol.low, share)
                                   : symbol.low + (symbol.high - symbol.low) * share;
  }
  return ans_instance_from_values(context, problem, structure, values, false, instance);
}

bool ans_varies_little(double share) { return estimate_varies_little(share); }

double ans_solution_varying(const ans_solution *solution, size_t field) {
  const char *name;
  size_t count;
  const double *values = ans_solution_values(solution, field, &name, &count);
  double most = 0, mean = 0, whole = 0, varying = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
  if (!(most > 0) || !isfinite(most)) return 0;
  for (size_t i = 0; i < count; i++) mean += values[i] / most / (double)count;
  for (size_t i = 0; i < count; i++) {
    double value = values[i] / most;
    whole += value * value;
    varying += (value - mean) * (value - mean);
  }
  return sqrt(varying / whole);
}

/* Forward, backward and the gradient of the weights, for a value and one derivative of every field. Memory: two bases
 * of each layer with gradient, two moments and three copies; of every field the weights, packed ones, their gradient
 * and its eight parts; the points. */
ans_cost ans_step_cost(const ans_problem *problem, bool training) {
  const protocol_budget *budget = training ? &problem->protocol.train : &problem->protocol.adapt;
  double points = (double)budget->points + budget->initial_points + budget->boundary_points;
  double weights =
      (double)problem->protocol.network.width * problem->protocol.network.width * problem->protocol.network.layers;
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

ans_status ans_solver_renew(ans_context *context, const ans_model *model, const ans_instance *instance,
                            const ans_solver_options *options, ans_solver **solver) {
  ans_solver_options own;
  ans_status status = api_solver_options(context, options, &own);
  if (status == ANS_OK) return solver_renew(context, model, instance, &own, solver);
  solver_free(*solver);
  *solver = NULL;
  return status;
}
