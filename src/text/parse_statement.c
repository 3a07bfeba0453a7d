/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_statement.c - one function per kind of statement; doc/language.md has the grammar.
 */
#include <assert.h>
#include <string.h>

#include "text/parser.h"
#include "text/suggest.h"

const char *statement_keyword(statement_kind kind) {
  static const char *const keywords[] = {
#define STATEMENT_KEYWORD(keyword, name) keyword,
      STATEMENT_LIST(STATEMENT_KEYWORD)
#undef STATEMENT_KEYWORD
  };
  return keywords[kind];
}

/* Links a copy of the statement for each name. */
static ans_status append(parser *parser, const syntax_statement *statement, syntax_words names) {
  for (int i = 0; i < names.count; i++) {
    if (++parser->statement_count > TEXT_MAX_STATEMENTS)
      return context_fail_at(parser->context, ANS_UNSUPPORTED, statement->place, "a problem has at most %d statements",
                             TEXT_MAX_STATEMENTS);
    syntax_statement *kept = arena_take(parser->arena, sizeof *kept);
    if (!kept) return context_no_memory(parser->context);
    *kept = *statement;
    kept->name = names.items[i];
    *parser->end = kept;
    parser->end = &kept->next;
  }
  return ANS_OK;
}

static ans_status append_one(parser *parser, const syntax_statement *statement) {
  return append(parser, statement, (syntax_words){1, &statement->name});
}

/* ---- Pieces ---------------------------------------------------------------------------------------------- */

/* "[low, high]" or "[low, high)" */
static ans_status parse_interval(parser *parser, const syntax_node **low, const syntax_node **high, bool *half_open) {
  syntax_node *ends[2];
  TRY(parser_expect(parser, '[', "to open the interval"));
  TRY(parser_expression(parser, &ends[0]));
  TRY(parser_expect(parser, ',', "between the ends of the interval"));
  TRY(parser_expression(parser, &ends[1]));
  *low = ends[0];
  *high = ends[1];
  *half_open = parser_at_symbol(parser, ')');
  return *half_open ? parser_advance(parser) : parser_expect(parser, ']', "to close the interval");
}

/* [ "hard" | "soft" [ "weight" number ] ] */
static ans_status parse_strictness(parser *parser, syntax_strictness *result) {
  ans_status status = ANS_OK;
  result->hard = parser_take_word(parser, "hard", &status);
  if (!result->hard) result->soft = parser_take_word(parser, "soft", &status);
  if (!result->soft || !parser_take_word(parser, "weight", &status)) return status;
  syntax_node *weight;
  TRY(parser_expression(parser, &weight));
  result->weight = weight;
  return ANS_OK;
}

static ans_status expect_word(parser *parser, const char *word, const char *expected) {
  ans_status status = ANS_OK;
  if (parser_take_word(parser, word, &status)) return ANS_OK;
  return status != ANS_OK ? status : parser_unexpected(parser, expected);
}

/* ---- Declarations ------------------------------------------------------------------------------------------ */

static ans_status parse_coordinate(parser *parser, syntax_statement *s) {
  TRY(parser_name(parser, "the name of a coordinate", &s->name));
  TRY(expect_word(parser, "in", "'in' and an interval"));
  TRY(parse_interval(parser, &s->coordinate.low, &s->coordinate.high, &s->coordinate.half_open));
  ans_status status = ANS_OK;
  while (status == ANS_OK && !parser_at_end(parser)) {
    if (parser_take_word(parser, "time", &status))
      s->coordinate.time = true;
    else if (parser_take_word(parser, "periodic", &status)) {
      s->coordinate.periodic = true;
      TRY(parse_strictness(parser, &s->coordinate.strictness));
    } else if (status == ANS_OK)
      return parser_unexpected(parser, "'time', 'periodic' or the end of the line");
  }
  TRY(status);
  return append_one(parser, s);
}

static ans_status parse_field(parser *parser, syntax_statement *s) {
  syntax_words names;
  TRY(parser_names(parser, false, "the name of a field", &names));
  if (parser_at_symbol(parser, '=')) {
    if (names.count > 1)
      return context_fail_at(parser->context, ANS_SYNTAX, parser->tokens.current.place,
                             "an output transform belongs to one field; give each field a line of its own");
    TRY(parser_advance(parser));
    syntax_node *transform;
    TRY(parser_expression(parser, &transform));
    s->field.transform = transform;
  }
  return append(parser, s, names);
}

static ans_status parse_symbol(parser *parser, syntax_statement *s) {
  syntax_words names;
  bool half_open = false;
  TRY(parser_names(parser, false, "the name of a coefficient", &names));
  TRY(expect_word(parser, "in", "'in' and a range"));
  text_place place = parser->tokens.current.place;
  TRY(parse_interval(parser, &s->symbol.low, &s->symbol.high, &half_open));
  if (half_open)
    return context_fail_at(parser->context, ANS_SYNTAX, place, "a range includes both ends; write [low, high]");
  ans_status status = ANS_OK;
  while (status == ANS_OK && !parser_at_end(parser)) {
    if (parser_take_word(parser, "log", &status))
      s->symbol.logarithmic = true;
    else if (parser_take_word(parser, "optional", &status))
      s->symbol.optional = true;
    else if (parser_take_word(parser, "grid", &status)) {
      syntax_node *grid;
      TRY(parser_expression(parser, &grid));
      s->symbol.grid = grid;
    } else if (status == ANS_OK)
      return parser_unexpected(parser, "'log', 'optional', 'grid' or the end of the line");
  }
  TRY(status);
  return append(parser, s, names);
}

static ans_status parse_let(parser *parser, syntax_statement *s) {
  TRY(parser_name(parser, "the name of a derived value", &s->name));
  TRY(parser_expect(parser, '=', "after the name"));
  syntax_node *value;
  TRY(parser_expression(parser, &value));
  s->let.value = value;
  return append_one(parser, s);
}

/* ---- Equations and conditions ------------------------------------------------------------------------------ */

static ans_status parse_equation(parser *parser, syntax_statement *s) {
  TRY(parser_name(parser, "the field whose equation this is", &s->name));
  ans_status status = ANS_OK;
  syntax_node *weight = NULL, *left, *right;
  if (parser_take_word(parser, "weight", &status)) TRY(parser_expression(parser, &weight));
  TRY(status);
  TRY(parser_expect(parser, ':', "before the equation"));
  TRY(parser_expression(parser, &left));
  TRY(parser_expect(parser, '=', "between the two sides of the equation"));
  TRY(parser_expression(parser, &right));
  s->equation.weight = weight;
  s->equation.left = left;
  s->equation.right = right;
  return append_one(parser, s);
}

static ans_status parse_value(parser *parser, syntax_statement *s) {
  syntax_node *value;
  TRY(parser_expect(parser, '=', "and the value"));
  TRY(parser_expression(parser, &value));
  s->condition.value = value;
  TRY(parse_strictness(parser, &s->condition.strictness));
  return append_one(parser, s);
}

/* `unknown` instead of a value: a zero stands at its place. */
static ans_status take_unknown(parser *parser, syntax_statement *s) {
  text_place place = parser->tokens.current.place;
  ans_status status = ANS_OK;
  s->condition.unknown = parser_take_word(parser, "unknown", &status);
  if (status != ANS_OK || !s->condition.unknown) return status;
  syntax_node *value = arena_take(parser->arena, sizeof *value);
  if (!value) return context_no_memory(parser->context);
  *value = (syntax_node){.kind = SYNTAX_NUMBER, .place = place};
  s->condition.value = value;
  return append_one(parser, s);
}

static ans_status parse_initial(parser *parser, syntax_statement *s) {
  TRY(parser_name(parser, "the field whose initial value this is", &s->name));
  s->condition.target = s->name;
  TRY(take_unknown(parser, s));
  if (s->condition.unknown) return ANS_OK;
  if (!parser_at_symbol(parser, '=')) return parser_unexpected(parser, "'=' and the value, or 'unknown'");
  return parse_value(parser, s);
}

static ans_status parse_boundary(parser *parser, syntax_statement *s) {
  TRY(parser_name(parser, "the field whose boundary value this is", &s->name));
  TRY(expect_word(parser, "at", "'at' and a place, as in 'boundary u at x = 0: u = 1'"));
  TRY(parser_name(parser, "a coordinate", &s->condition.coordinate));
  TRY(parser_expect(parser, '=', "and the place of the boundary"));
  syntax_node *at;
  TRY(parser_expression(parser, &at));
  s->condition.at = at;
  TRY(parser_expect(parser, ':', "before the condition"));
  TRY(parser_name(parser, "the field or one of its derivatives", &s->condition.target));
  return parse_value(parser, s);
}

/* ---- Members of the family ------------------------------------------------------------------------------------ */

static ans_status parse_structure(parser *parser, syntax_statement *s) {
  TRY(parser_label(parser, "the name of a structure", &s->name));
  ans_status status = ANS_OK;
  if (parser_take_word(parser, "without", &status))
    TRY(parser_names(parser, false, "an optional coefficient", &s->structure.without));
  TRY(status);
  return append_one(parser, s);
}

static ans_status parse_case_value(parser *parser, syntax_assignment *assignment) {
  TRY(parser_name(parser, "a coefficient and its value, as in a=0.5", &assignment->name));
  TRY(parser_expect(parser, '=', "and a value"));
  /* Values stand side by side, so each is a signed number or a group. */
  bool minus = parser_at_symbol(parser, '-');
  text_place place = parser->tokens.current.place;
  if (minus) TRY(parser_advance(parser));
  if (parser->tokens.current.kind != TOKEN_NUMBER && !parser_at_symbol(parser, '('))
    return parser_unexpected(parser, "a number or '('");
  syntax_node *value;
  if (parser_at_symbol(parser, '(')) {
    TRY(parser_advance(parser));
    TRY(parser_expression(parser, &value));
    TRY(parser_expect(parser, ')', "to close the group"));
  } else {
    value = arena_take(parser->arena, sizeof *value);
    if (!value) return context_no_memory(parser->context);
    *value = (syntax_node){.kind = SYNTAX_NUMBER,
                           .place = parser->tokens.current.place,
                           .depth = 1,
                           .number = parser->tokens.current.number};
    TRY(parser_advance(parser));
  }
  assignment->value = value;
  if (!minus) return ANS_OK;
  syntax_node *negated = arena_take(parser->arena, sizeof *negated);
  if (!negated) return context_no_memory(parser->context);
  *negated = (syntax_node){
      .kind = SYNTAX_NEGATE, .place = place, .depth = value->depth + 1, .argument_count = 1, .arguments = {value}};
  assignment->value = negated;
  return ANS_OK;
}

static ans_status parse_case(parser *parser, syntax_statement *s) {
  enum { MAX_VALUES = 128 };
  syntax_assignment values[MAX_VALUES];
  TRY(parser_label(parser, "the name of a case", &s->name));
  if (!parser_at_symbol(parser, ':')) TRY(parser_label(parser, "a structure or ':'", &s->member.structure));
  TRY(parser_expect(parser, ':', "before the values"));
  while (!parser_at_end(parser)) {
    if (s->member.count == MAX_VALUES)
      return context_fail_at(parser->context, ANS_UNSUPPORTED, parser->tokens.current.place,
                             "a case has at most %d values", MAX_VALUES);
    TRY(parse_case_value(parser, &values[s->member.count++]));
    assert(s->member.count <= MAX_VALUES);
    if (parser_at_symbol(parser, ',')) TRY(parser_advance(parser));
  }
  syntax_assignment *kept = arena_array(parser->arena, syntax_assignment, (size_t)s->member.count);
  if (!kept) return context_no_memory(parser->context);
  memcpy(kept, values, (size_t)s->member.count * sizeof *values);
  s->member.values = kept;
  return append_one(parser, s);
}

/* ---- The file itself -------------------------------------------------------------------------------------------- */

static ans_status parse_family(parser *parser, syntax_statement *s) {
  TRY(parser_label(parser, "the name of the family", &s->name));
  return append_one(parser, s);
}

static ans_status parse_include(parser *parser, syntax_statement *s) {
  const token *token = &parser->tokens.current;
  if (token->kind != TOKEN_STRING) return parser_unexpected(parser, "the name of a file in quotes");
  s->name.place = token->place;
  s->name.text = arena_string(parser->arena, token->text, token->length);
  if (!s->name.text) return context_no_memory(parser->context);
  TRY(parser_advance(parser));
  return append_one(parser, s);
}

/* drop cases | drop structures | drop case a, b | drop structure a, b */
static ans_status parse_drop(parser *parser, syntax_statement *s) {
  ans_status status = ANS_OK;
  s->name.place = parser->tokens.current.place;
  s->name.text = "";
  bool cases = parser_take_word(parser, "cases", &status);
  bool structures = !cases && parser_take_word(parser, "structures", &status);
  s->drop.all = cases || structures;
  if (cases || parser_take_word(parser, "case", &status))
    s->drop.kind = STATEMENT_CASE;
  else if (structures || parser_take_word(parser, "structure", &status))
    s->drop.kind = STATEMENT_STRUCTURE;
  else
    return status != ANS_OK ? status
                            : parser_unexpected(parser, "'cases', 'structures', 'case NAME' or 'structure NAME'");
  TRY(status);
  if (!s->drop.all) TRY(parser_names(parser, true, "the name of what is dropped", &s->drop.names));
  return append_one(parser, s);
}

static ans_status parse_setting_line(parser *parser, syntax_statement *s) {
  s->name = (syntax_word){"", s->place};
  TRY(parser_settings(parser, s));
  return append_one(parser, s);
}

/* ---- Statements ----------------------------------------------------------------------------------------------------
 */

static ans_status parse_kind(parser *parser, syntax_statement *s) {
  switch (s->kind) {
  case STATEMENT_FAMILY: return parse_family(parser, s);
  case STATEMENT_INCLUDE: return parse_include(parser, s);
  case STATEMENT_DROP: return parse_drop(parser, s);
  case STATEMENT_COORDINATE: return parse_coordinate(parser, s);
  case STATEMENT_FIELD: return parse_field(parser, s);
  case STATEMENT_COEFFICIENT:
  case STATEMENT_PARAMETER: return parse_symbol(parser, s);
  case STATEMENT_LET: return parse_let(parser, s);
  case STATEMENT_EQUATION: return parse_equation(parser, s);
  case STATEMENT_INITIAL: return parse_initial(parser, s);
  case STATEMENT_BOUNDARY: return parse_boundary(parser, s);
  case STATEMENT_STRUCTURE:
  case STATEMENT_HELD: return parse_structure(parser, s);
  case STATEMENT_CASE: return parse_case(parser, s);
  default: return parse_setting_line(parser, s);
  }
}

static bool find_kind(const parser *parser, statement_kind *kind) {
  for (int i = 0; i < STATEMENT_KINDS; i++)
    if (parser_at_word(parser, statement_keyword((statement_kind)i))) {
      *kind = (statement_kind)i;
      return true;
    }
  return false;
}

static ans_status refuse_keyword(parser *parser) {
  const token *token = &parser->tokens.current;
  if (token->kind != TOKEN_NAME) return parser_unexpected(parser, "a statement such as 'field', 'equation' or 'case'");
  suggestion suggestion = suggest_for(token->text, token->length);
  for (int i = 0; i < STATEMENT_KINDS; i++) suggest_offer(&suggestion, statement_keyword((statement_kind)i));
  suggest_offer(&suggestion, "override");
  char room[SUGGEST_ROOM];
  return context_fail_at(parser->context, ANS_SYNTAX, token->place, "no statement begins with '%.*s'%s",
                         (int)token->length, token->text, suggest_phrase(&suggestion, room));
}

ans_status parser_statement(parser *parser) {
  ans_status status = ANS_OK;
  syntax_statement statement = {.overriding = parser_take_word(parser, "override", &status)};
  TRY(status);
  if (!find_kind(parser, &statement.kind)) return refuse_keyword(parser);
  statement.place = parser->tokens.current.place;
  if (statement.overriding && statement.kind <= STATEMENT_DROP)
    return context_fail_at(parser->context, ANS_SYNTAX, statement.place, "'%s' cannot be overridden",
                           statement_keyword(statement.kind));
  TRY(parser_advance(parser));
  TRY(parse_kind(parser, &statement));
  if (!parser_at_end(parser)) return parser_unexpected(parser, "the end of the line");
  return parser->tokens.current.kind == TOKEN_NEWLINE ? parser_advance(parser) : ANS_OK;
}
