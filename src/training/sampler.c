/* SPDX-License-Identifier: Apache-2.0 */
#include "training/sampler.h"

#include <assert.h>
#include <math.h>

double sampler_radius(const protocol_sampler *sampler, long step) {
  if (sampler->begin < 0) return 0;
  if (step >= sampler->end) return 1;
  if (step <= sampler->begin) return 0;
  return (double)(step - sampler->begin) / (double)(sampler->end - sampler->begin);
}

static double clipped(double value, double low, double high) { return value < low ? low : value > high ? high : value; }

static double draw_scaled(const system_symbol *symbol, protocol_sampler_kind kind, double radius, double low,
                          double high, random_stream *stream) {
  assert(low <= high && radius >= 0 && radius <= 1);
  /* Both numbers are drawn whatever the kind, so that every symbol has its place in the stream. */
  double choice = random_uniform(stream), position = random_uniform(stream);
  if (kind == SAMPLER_CENTRE_OUT) {
    double centre = (low + high) / 2, half = (high - low) / 2;
    return clipped(centre + radius * half * (2 * position - 1), low, high);
  }
  if (kind == SAMPLER_UNIFORM || symbol->grid < 2) return clipped(low + (high - low) * position, low, high);
  double spacing = (high - low) / (symbol->grid - 1);
  double node = low + spacing * floor(choice * symbol->grid);
  return clipped(node + radius * spacing / 2 * (2 * position - 1), low, high);
}

static double draw_symbol(const system_symbol *symbol, protocol_sampler_kind kind, double radius,
                          random_stream *stream) {
  assert(!symbol->logarithmic || symbol->low > 0);
  if (!symbol->logarithmic) return draw_scaled(symbol, kind, radius, symbol->low, symbol->high, stream);
  double exponent = draw_scaled(symbol, kind, radius, log10(symbol->low), log10(symbol->high), stream);
  return clipped(pow(10, exponent), symbol->low, symbol->high);
}

uint32_t sampler_part(const ans_problem *problem, int structure) {
  return problem->protocol.sampler.shared ? 0 : (uint32_t)structure;
}

void sampler_draw(const ans_problem *problem, int structure, uint64_t seed, long step, double *values) {
  assert(structure >= 0 && structure < problem->structure_count);
  random_stream stream = random_open(seed, RANDOM_COEFFICIENTS, (uint64_t)step, sampler_part(problem, structure));
  double radius = sampler_radius(&problem->protocol.sampler, step);
  for (int i = 0; i < problem->symbol_count; i++) {
    const system_symbol *symbol = &problem->symbols[i];
    values[i] = (double)NAN;
    if (symbol->kind == SYMBOL_DERIVED) continue;
    double value = draw_symbol(symbol, problem->protocol.sampler.kind, radius, &stream);
    if (!problem->structures[structure].absent[i]) values[i] = value;
  }
}
