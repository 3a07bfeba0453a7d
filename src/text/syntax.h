/* SPDX-License-Identifier: Apache-2.0
 *
 * syntax.h - the tree of a problem file. Names are not looked up here: that is system/'s business.
 */
#ifndef TEXT_SYNTAX_H
#define TEXT_SYNTAX_H

#include "base/base.h"

typedef struct syntax_word {
  const char *text; /* NUL-terminated */
  text_place place;
} syntax_word;

/* ---- Expressions ------------------------------------------------------------------------------------- */

typedef enum syntax_kind {
  SYNTAX_NUMBER, /* number */
  SYNTAX_NAME,   /* word; the raw network output is the name "_" */
  SYNTAX_NEGATE, /* first argument */
  SYNTAX_BINARY, /* first two arguments, operation one of + - * / ^ */
  SYNTAX_CALL    /* word, arguments */
} syntax_kind;

enum { SYNTAX_MAX_ARGUMENTS = 6, SYNTAX_MAX_NESTING = 60, SYNTAX_MAX_DEPTH = 1500 };

/* What the canonical text of a problem adds in parentheses and terms of its own: the parser takes as much more, so that
 * this text can always be read again. */
enum { SYNTAX_SPARE_NESTING = 4 };

typedef struct syntax_node {
  syntax_kind kind;
  text_place place;
  const char *word;
  double number;
  char operation;
  int argument_count;
  int depth; /* of the tree below, at most SYNTAX_MAX_DEPTH */
  struct syntax_node *arguments[SYNTAX_MAX_ARGUMENTS];
} syntax_node;

bool syntax_equal(const syntax_node *a, const syntax_node *b);

/* ---- Statements ---------------------------------------------------------------------------------------- */

/* A table: keyword and enum name. */
/* clang-format off */
#define STATEMENT_LIST(X)                                                                                            \
  X("family", FAMILY) X("include", INCLUDE) X("drop", DROP) X("coordinate", COORDINATE) X("field", FIELD)            \
  X("coefficient", COEFFICIENT) X("parameter", PARAMETER) X("let", LET) X("equation", EQUATION)                      \
  X("initial", INITIAL) X("boundary", BOUNDARY) X("structure", STRUCTURE) X("held", HELD) X("case", CASE)            \
  X("network", NETWORK) X("sampler", SAMPLER) X("train", TRAIN) X("adapt", ADAPT) X("reference", REFERENCE)          \
  X("descriptor", DESCRIPTOR)

typedef enum statement_kind {
#define STATEMENT_ENUM(keyword, name) STATEMENT_##name,
  STATEMENT_LIST(STATEMENT_ENUM)
#undef STATEMENT_ENUM
  STATEMENT_KINDS
} statement_kind;
/* clang-format on */

const char *statement_keyword(statement_kind kind);

typedef struct syntax_words {
  int count;
  const syntax_word *items;
} syntax_words;

/* "hard", "soft" or "soft weight w" after a condition; neither word: hard = soft = false. */
typedef struct syntax_strictness {
  bool hard, soft;
  const syntax_node *weight; /* NULL: 1 */
} syntax_strictness;

typedef struct syntax_setting {
  syntax_words words; /* "fourier x 1..4" is the words fourier, x */
  int number_count;   /* and the numbers 1, 4 */
  double numbers[2];
  text_place number_places[2];
  bool range; /* the two numbers were written low..high */
} syntax_setting;

typedef struct syntax_assignment {
  syntax_word name;
  const syntax_node *value;
} syntax_assignment;

/* One statement; a list of names ("field u, v") becomes one statement per name. */
typedef struct syntax_statement {
  statement_kind kind;
  bool overriding;  /* after the word "override" */
  bool included;    /* from another file */
  text_place place; /* of the keyword */
  syntax_word name; /* what it declares or concerns; empty for settings */
  struct syntax_statement *next;
  union {
    struct {
      const syntax_node *low, *high;
      bool half_open, periodic, time;
      syntax_strictness strictness; /* of the periodicity */
    } coordinate;
    struct {
      const syntax_node *transform; /* NULL: none */
    } field;
    struct {
      const syntax_node *low, *high, *grid; /* grid NULL: none */
      bool logarithmic, optional;
    } symbol; /* coefficient and parameter */
    struct {
      const syntax_node *value;
    } let;
    struct {
      const syntax_node *weight, *left, *right; /* weight NULL: equal shares */
    } equation;
    struct {
      syntax_word target;     /* the field or derivative that is given; initial: equal to name */
      syntax_word coordinate; /* boundary only */
      const syntax_node *at, *value;
      bool unknown; /* initial only: sought in measurements, the value is a mere place */
      syntax_strictness strictness;
    } condition; /* initial and boundary */
    struct {
      syntax_words without;
    } structure; /* structure and held */
    struct {
      syntax_word structure; /* empty: the only one */
      int count;
      const syntax_assignment *values;
    } member; /* case */
    struct {
      int count;
      const syntax_setting *items;
    } settings; /* network ... descriptor */
    struct {
      statement_kind kind;
      bool all;
      syntax_words names;
    } drop;
  };
} syntax_statement;

/* ---- Reading --------------------------------------------------------------------------------------------- */

enum {
  TEXT_MAX_NAME = 64,
  TEXT_MAX_BYTES = 1 << 20,
  TEXT_MAX_INCLUDES = 8,
  TEXT_MAX_FILES = 32,
  TEXT_MAX_STATEMENTS = 4000
};

/* Reads a text and the files it includes (looked up in `directory`; NULL: refused) into one list of statements in
 * reading order. Everything, the sources too, lives in the arena. */
ans_status text_parse(ans_context *context, arena *arena, const char *name, const char *directory, const char *text,
                      size_t length, syntax_statement **statements);

/* A signed decimal number and nothing else but blanks around it, whatever the locale. */
bool text_number(const char *text, size_t length, double *number);

#endif
