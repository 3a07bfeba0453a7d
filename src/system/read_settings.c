/* SPDX-License-Identifier: Apache-2.0
 *
 * read_settings.c - network, sampler, train, adapt, reference and descriptor lines.
 *
 * "override train steps 100" changes the steps and leaves the rest of the training settings as they were.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "system/reader.h"
#include "protocol/settings.h"

/* What was already said, so that saying it twice is noticed. */
typedef struct seen {
  bool rule[SETTING_MAX_RULES], fourier[SYSTEM_MAX_COORDINATES], sampler, vector;
  const syntax_word *sampler_word;
} seen;

static ans_status mark(reader *reader, const syntax_statement *s, const syntax_setting *item, bool *mark) {
  if (*mark && !s->overriding)
    READER_FAIL(reader, ANS_MEANING, item->words.items[0].place,
                "'%s' is set twice; write 'override %s %s ...' to change it", item->words.items[0].text,
                statement_keyword(s->kind), item->words.items[0].text);
  *mark = true;
  return ANS_OK;
}

static ans_status expect_shape(reader *reader, const syntax_setting *item, int words, int numbers, const char *form) {
  if (item->words.count == words && item->number_count == numbers) return ANS_OK;
  READER_FAIL(reader, ANS_MEANING, item->words.items[0].place, "expected %s", form);
}

/* ---- Settings of the table --------------------------------------------------------------------------------- */

static ans_status store_number(reader *reader, const setting_rule *rule, const syntax_setting *item) {
  if (item->words.count != 1 || item->number_count != 1)
    READER_FAIL(reader, ANS_MEANING, item->words.items[0].place, "'%s' needs one number", rule->name);
  double number = item->numbers[0];
  bool whole = rule->type == SETTING_REAL || floor(number) == number;
  if (!whole || number < rule->low || number > rule->high)
    READER_FAIL(reader, ANS_MEANING, item->number_places[0], "'%s' must be %s from %g to %g", rule->name,
                rule->type == SETTING_REAL ? "a number" : "a whole number", rule->low, rule->high);
  setting_store(&reader->problem->protocol, rule, number);
  return ANS_OK;
}

static ans_status store_choice(reader *reader, const setting_rule *rule, const syntax_setting *item) {
  int word = rule->name[0] ? 1 : 0;
  char list[128] = "";
  for (const setting_choice *choice = rule->choices; choice->word; choice++) {
    if (item->words.count > word && strcmp(choice->word, item->words.items[word].text) == 0) {
      if (item->words.count > word + 1 || item->number_count)
        READER_FAIL(reader, ANS_MEANING,
                    item->number_count ? item->number_places[0] : item->words.items[word + 1].place,
                    "expected ',' or the end of the line after '%s'", choice->word);
      setting_store(&reader->problem->protocol, rule, choice->value);
      return ANS_OK;
    }
    if (list[0]) strcat(list, choice[1].word ? ", " : " or ");
    strcat(list, choice->word);
  }
  READER_FAIL(reader, ANS_MEANING, item->words.items[item->words.count > word ? word : 0].place, "'%s' must be %s",
              rule->name, list);
}

static const setting_rule *find_rule(statement_kind kind, const char *word, int *index) {
  for (*index = 0; *index < setting_rule_count; (*index)++) {
    const setting_rule *rule = &setting_rules[*index];
    if (rule->kind != kind) continue;
    if (rule->name[0] ? strcmp(rule->name, word) == 0 : false) return rule;
    for (const setting_choice *c = rule->choices; !rule->name[0] && c->word; c++)
      if (strcmp(c->word, word) == 0) return rule;
  }
  return NULL;
}

static ans_status unknown_setting(reader *reader, const syntax_statement *s, const syntax_word *word) {
  static const char *const others[][4] = {[STATEMENT_NETWORK] = {"fourier"},
                                          [STATEMENT_DESCRIPTOR] = {"vector"},
                                          [STATEMENT_SAMPLER] = {"uniform", "jitter", "grid", "centre"}};
  suggestion suggestion = suggest_for(word->text, strlen(word->text));
  for (int i = 0; i < setting_rule_count; i++) {
    if (setting_rules[i].kind != s->kind) continue;
    suggest_offer(&suggestion, setting_rules[i].name);
    for (const setting_choice *c = setting_rules[i].choices; c && !setting_rules[i].name[0] && c->word; c++)
      suggest_offer(&suggestion, c->word);
  }
  for (int i = 0; i < 4 && others[s->kind][i]; i++) suggest_offer(&suggestion, others[s->kind][i]);
  char room[SUGGEST_ROOM];
  READER_FAIL(reader, ANS_MEANING, word->place, "'%s' is not a setting of '%s'%s", word->text,
              statement_keyword(s->kind), suggest_phrase(&suggestion, room));
}

/* ---- Settings of their own kind -------------------------------------------------------------------------------- */

/* fourier x 1..4; without a name: the only periodic coordinate */
static ans_status read_fourier(reader *reader, const syntax_statement *s, const syntax_setting *item, seen *seen) {
  if (item->words.count > 2 || !item->range)
    READER_FAIL(reader, ANS_MEANING, item->words.items[0].place,
                "expected a coordinate and its frequencies, as in 'fourier x 1..4'");
  int c = -1, periodic = 0;
  if (item->words.count == 2) {
    const syntax_word *name = &item->words.items[1];
    c = reader_coordinate(reader, name->text);
    if (c < 0) READER_FAIL(reader, ANS_MEANING, name->place, "'%s' is not a coordinate", name->text);
  } else {
    for (int i = 0; i < reader->problem->coordinate_count; i++)
      if (reader->coordinates[i].periodic) c = i, periodic++;
    if (periodic != 1)
      READER_FAIL(reader, ANS_MEANING, item->words.items[0].place,
                  "'fourier' must name its coordinate, as in 'fourier x 1..4'");
  }
  system_coordinate *coordinate = &reader->coordinates[c];
  if (!coordinate->periodic || coordinate->soft_period)
    READER_FAIL(reader, ANS_MEANING, item->words.items[0].place, "Fourier features make '%s' periodic, but it is %s",
                coordinate->name, coordinate->periodic ? "softly periodic" : "not periodic");
  double low = item->numbers[0], high = item->numbers[1];
  if (!(low >= 1 && low <= high && high <= 64) || floor(low) != low || floor(high) != high)
    READER_FAIL(reader, ANS_MEANING, item->number_places[0],
                "frequencies are whole numbers from 1 to 64, the lower first");
  TRY(mark(reader, s, item, &seen->fourier[c]));
  coordinate->fourier_stated = true;
  coordinate->fourier_low = (int)low;
  coordinate->fourier_high = (int)high;
  return ANS_OK;
}

/* jitter [from BEGIN to END] */
static ans_status read_schedule(reader *reader, const syntax_setting *item, protocol_sampler *sampler) {
  if (item->words.count == 1 && !item->number_count) return ANS_OK;
  TRY(expect_shape(reader, item, 3, 2, "the steps between which the range widens, as in 'from 8000 to 24000'"));
  if (item->range || strcmp(item->words.items[1].text, "from") != 0 || strcmp(item->words.items[2].text, "to") != 0)
    READER_FAIL(reader, ANS_MEANING, item->words.items[1].place, "expected 'from STEP to STEP'");
  double begin = item->numbers[0], end = item->numbers[1];
  if (!(begin >= 0 && begin < end && end <= 1e9) || floor(begin) != begin || floor(end) != end)
    READER_FAIL(reader, ANS_MEANING, item->number_places[0],
                "the steps must be whole numbers, the first below the second");
  sampler->begin = (long)begin;
  sampler->end = (long)end;
  return ANS_OK;
}

/* True when the word names a sampler; *grid: only the nodes themselves. */
static bool sampler_named(const char *word, protocol_sampler_kind *kind, bool *grid) {
  *grid = strcmp(word, "grid") == 0;
  *kind = strcmp(word, "uniform") == 0  ? SAMPLER_UNIFORM
          : strcmp(word, "centre") == 0 ? SAMPLER_CENTRE_OUT
                                        : SAMPLER_JITTER;
  return *kind != SAMPLER_JITTER || *grid || strcmp(word, "jitter") == 0;
}

static ans_status read_sampler(reader *reader, const syntax_statement *s, const syntax_setting *item, seen *seen,
                               bool *found) {
  const syntax_word *word = &item->words.items[0];
  bool grid;
  protocol_sampler sampler = {.shared = reader->problem->protocol.sampler.shared};
  *found = sampler_named(word->text, &sampler.kind, &grid);
  if (!*found) return ANS_OK;
  TRY(mark(reader, s, item, &seen->sampler));
  if (sampler.kind == SAMPLER_UNIFORM || grid) {
    if (item->words.count > 1 || item->number_count)
      READER_FAIL(reader, ANS_MEANING, word->place, "'%s' has no schedule; expected ',' or the end of the line",
                  word->text);
    sampler.begin = grid ? -1 : 0;
  } else
    TRY(read_schedule(reader, item, &sampler));
  seen->sampler_word = word;
  reader->problem->protocol.sampler = sampler;
  return ANS_OK;
}

static ans_status check_grids(reader *reader, const syntax_word *word) {
  if (reader->problem->protocol.sampler.kind != SAMPLER_JITTER) return ANS_OK;
  assert(word);
  for (int i = 0; i < reader->problem->symbol_count; i++)
    if (reader->symbols[i].kind != SYMBOL_DERIVED && !reader->symbols[i].grid)
      READER_FAIL(reader, ANS_MEANING, word->place,
                  "'%s' needs a grid for every coefficient, and '%s' has none; write 'grid 5' after its range",
                  word->text, reader->symbols[i].name);
  return ANS_OK;
}

static ans_status keep_vector(reader *reader, const int *symbols, int count) {
  int *kept = arena_array(reader->kept, int, (size_t)count);
  if (!kept) return context_no_memory(reader->context);
  memcpy(kept, symbols, (size_t)count * sizeof *kept);
  reader->problem->protocol.descriptor.vector = kept;
  reader->problem->protocol.descriptor.vector_count = count;
  return ANS_OK;
}

static ans_status read_vector(reader *reader, const syntax_statement *s, const syntax_setting *item, seen *seen) {
  int symbols[SYSTEM_MAX_SYMBOLS], count = item->words.count - 1;
  TRY(mark(reader, s, item, &seen->vector));
  if (count < 1 || count > SYSTEM_MAX_SYMBOLS || item->number_count)
    READER_FAIL(reader, ANS_MEANING, item->words.items[0].place,
                "expected the names of coefficients, as in 'vector a D r'");
  for (int i = 0; i < count; i++) {
    const syntax_word *name = &item->words.items[i + 1];
    symbols[i] = reader_symbol(reader, name->text);
    if (symbols[i] < 0) return reader_unknown(reader, name->text, name->place);
    for (int k = 0; k < i; k++)
      if (symbols[k] == symbols[i])
        READER_FAIL(reader, ANS_MEANING, name->place, "'%s' is in the vector twice", name->text);
  }
  return keep_vector(reader, symbols, count);
}

/* ---- A line ---------------------------------------------------------------------------------------------------- */

static ans_status read_item(reader *reader, const syntax_statement *s, const syntax_setting *item, seen *seen) {
  const char *word = item->words.items[0].text;
  int index;
  if (s->kind == STATEMENT_NETWORK && strcmp(word, "fourier") == 0) return read_fourier(reader, s, item, seen);
  if (s->kind == STATEMENT_DESCRIPTOR && strcmp(word, "vector") == 0) return read_vector(reader, s, item, seen);
  if (s->kind == STATEMENT_SAMPLER) {
    bool found;
    TRY(read_sampler(reader, s, item, seen, &found));
    if (found) return ANS_OK;
  }
  const setting_rule *rule = find_rule(s->kind, word, &index);
  if (!rule) return unknown_setting(reader, s, &item->words.items[0]);
  TRY(mark(reader, s, item, &seen->rule[index]));
  if (strcmp(rule->name, "width") == 0 || strcmp(rule->name, "layers") == 0)
    reader->problem->protocol.network.stated = true;
  return rule->choices ? store_choice(reader, rule, item) : store_number(reader, rule, item);
}

static bool any_soft(const reader *reader, system_condition_kind kind) {
  for (int i = 0; i < reader->problem->condition_count; i++)
    if (reader->conditions[i].kind == kind && !reader->conditions[i].hard) return true;
  return false;
}

static ans_status complete_points(reader *reader, statement_kind line, const char *name, bool needed, int *points) {
  enum { DEFAULT_POINTS = 128 };
  if (*points < 0) *points = needed ? DEFAULT_POINTS : 0;
  if (needed && *points == 0)
    READER_FAIL(reader, ANS_MEANING, reader_place(reader, line), "'%s 0' leaves a soft condition without points", name);
  return ANS_OK;
}

static ans_status complete_budget(reader *reader, statement_kind line, protocol_budget *budget) {
  bool soft_period = false;
  for (int i = 0; i < reader->problem->coordinate_count; i++)
    soft_period = soft_period || reader->coordinates[i].soft_period;
  TRY(complete_points(reader, line, "initial", any_soft(reader, CONDITION_INITIAL), &budget->initial_points));
  TRY(complete_points(reader, line, "periodic", soft_period, &budget->period_points));
  return complete_points(reader, line, "boundary", any_soft(reader, CONDITION_BOUNDARY), &budget->boundary_points);
}

/* The network of a variant. */
static void vary_network(reader *reader) {
  const system_variation *variation = reader->variation;
  if (!variation) return;
  if (variation->width > 0) reader->problem->protocol.network.width = variation->width;
  if (variation->layers > 0) reader->problem->protocol.network.layers = variation->layers;
  for (int i = 0; variation->fourier > 0 && i < reader->problem->coordinate_count; i++)
    if (reader->coordinates[i].fourier_high > 0) reader->coordinates[i].fourier_high = variation->fourier;
}

/* Periodic coordinates get frequencies, the vector gets every sampled symbol. */
static ans_status complete(reader *reader) {
  protocol_descriptor *descriptor = &reader->problem->protocol.descriptor;
  for (int i = 0; i < reader->problem->coordinate_count; i++) {
    system_coordinate *c = &reader->coordinates[i];
    if (c->periodic && !c->soft_period && !c->fourier_high) c->fourier_low = 1, c->fourier_high = 4;
  }
  if (!descriptor->vector) {
    int symbols[SYSTEM_MAX_SYMBOLS], count = 0;
    for (int i = 0; i < reader->problem->symbol_count; i++)
      if (reader->symbols[i].kind != SYMBOL_DERIVED) symbols[count++] = i;
    TRY(keep_vector(reader, symbols, count));
  }
  if (!descriptor->vector_slots) descriptor->vector_slots = descriptor->vector_count;
  text_place place = reader_place(reader, STATEMENT_DESCRIPTOR);
  if (descriptor->vector_slots < descriptor->vector_count)
    READER_FAIL(reader, ANS_MEANING, place, "%d coefficients do not fit into %d slots", descriptor->vector_count,
                descriptor->vector_slots);
  if (descriptor->layout == GRAPH_UNION && reader->problem->coordinate_count > 3)
    READER_FAIL(reader, ANS_UNSUPPORTED, place,
                "the union graph describes up to 3 coordinates; use 'descriptor graph compact'");
  TRY(complete_budget(reader, STATEMENT_TRAIN, &reader->problem->protocol.train));
  return complete_budget(reader, STATEMENT_ADAPT, &reader->problem->protocol.adapt);
}

ans_status reader_settings(reader *reader) {
  seen seen = {0};
  settings_default(&reader->problem->protocol);
  for (int i = 0; i < reader->statement_count; i++) {
    const syntax_statement *s = reader->statements[i];
    if (s->kind < STATEMENT_NETWORK) continue;
    for (int k = 0; k < s->settings.count; k++) TRY(read_item(reader, s, &s->settings.items[k], &seen));
  }
  TRY(check_grids(reader, seen.sampler_word));
  TRY(complete(reader));
  vary_network(reader);
  return ANS_OK;
}
