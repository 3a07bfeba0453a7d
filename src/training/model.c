/* SPDX-License-Identifier: Apache-2.0 */
#include "training/model.h"

#include <stdatomic.h>

static atomic_uint_least64_t models_made;

const engine *engine_of(int bits) { return bits == 64 ? &engine_f64 : &engine_f32; }

static ans_status fill(ans_context *context, ans_model *model, const ans_problem *problem) {
  TRY(arena_new(context, &model->arena));
  model->problem = system_share(problem);
  return engine_of(model->bits)
      ->model_unknowns(context, model->arena, model->problem, model->kind, model->rounds, &model->unknowns);
}

ans_status model_take_parameters(ans_context *context, ans_model *model) {
  model->parameters = arena_array(model->arena, double, model->unknowns.size);
  return model->parameters ? ANS_OK : context_no_memory(context);
}

ans_status model_new(ans_context *context, const ans_problem *problem, descriptor_kind kind, int rounds, uint64_t seed,
                     int bits, ans_model **result) {
  *result = NULL;
  ans_model *model = memory_take(sizeof *model);
  if (!model) return context_no_memory(context);
  model->number = atomic_fetch_add(&models_made, 1) + 1;
  model->kind = kind;
  model->rounds = rounds > 0 ? rounds : problem->protocol.descriptor.rounds;
  model->seed = seed;
  model->bits = bits;
  ans_status status = fill(context, model, problem);
  if (status == ANS_OK)
    *result = model;
  else
    model_free(model);
  return status;
}

void model_free(ans_model *model) {
  if (!model) return;
  system_free(model->problem);
  arena_free(model->arena);
  memory_give(model);
}

ans_status model_write(ans_context *context, const ans_model *model, const char *path) {
  model_sheet *sheet;
  TRY(sheet_new(context, &sheet));
  sheet_unknowns(sheet, "", &model->unknowns, model->bits, model->parameters);
  ans_status status = sheet_model(context, sheet, "model", model);
  if (status == ANS_OK) status = sheet_write(context, sheet, path);
  sheet_free(sheet);
  return status;
}

static ans_status read_model(ans_context *context, const char *path, const safetensors *file, ans_model **result) {
  TRY(model_read_plan(context, path, file, result));
  int needed = (*result)->unknowns.count;
  ans_status status = ANS_OK;
  if (file->tensor_count != needed)
    status = context_fail(context, ANS_MODEL, "%s has %d arrays where its problem needs %d", path, file->tensor_count,
                          needed);
  if (status == ANS_OK) status = model_read_parameters(context, path, file, *result);
  if (status != ANS_OK) {
    model_free(*result);
    *result = NULL;
  }
  return status;
}

ans_status model_read(ans_context *context, const char *path, ans_model **result) {
  *result = NULL;
  safetensors *file;
  TRY(model_open(context, path, "model", &file));
  ans_status status = read_model(context, path, file, result);
  safetensors_free(file);
  return status;
}

ans_status model_fits(ans_context *context, const ans_model *model, const ans_instance *instance) {
  FAIL_IF(!system_same_family(model->problem, instance->problem), context, ANS_MODEL,
          "the model was trained on other equations, ranges or networks than those of the problem that this equation "
          "belongs to");
  return ANS_OK;
}

ans_coverage model_coverage(const ans_model *model, const ans_instance *instance) {
  const ans_problem *problem = instance->problem;
  ans_coverage coverage = {.structure_trained = !model->problem->structures[instance->structure].held};
  for (int i = 0; i < problem->symbol_count; i++) {
    const system_symbol *symbol = &problem->symbols[i];
    double value = instance->values[i];
    if (symbol->kind == SYMBOL_DERIVED || !instance->present[i] || (value >= symbol->low && value <= symbol->high))
      continue;
    if (coverage.outside_count++ == 0) {
      coverage.symbol = symbol->name;
      coverage.value = value;
      coverage.low = symbol->low;
      coverage.high = symbol->high;
    }
  }
  return coverage;
}

const ans_problem *model_problem(const ans_model *model) { return model->problem; }

ans_model_info model_info(const ans_model *model) {
  return (ans_model_info){.descriptor = descriptor_name(model->kind),
                          .rounds = model->rounds,
                          .seed = model->seed,
                          .steps = model->steps,
                          .precision = model->bits,
                          .parameters = model->unknowns.size};
}

ans_array model_array(const ans_model *model, size_t index) {
  if (index >= (size_t)model->unknowns.count) return (ans_array){0};
  const unknown_part *part = &model->unknowns.parts[index];
  return (ans_array){.name = part->name,
                     .rows = (size_t)part->rows,
                     .columns = (size_t)part->columns,
                     .values = model->parameters + part->offset};
}
