/* SPDX-License-Identifier: Apache-2.0
 *
 * system.h - the door of system/: what a problem file means.
 *
 * A *problem* is a family: coordinates, fields, symbols with ranges, equations as canonical terms with
 * symbolic coefficients, conditions, structures and cases: what is to be solved. How is a matter of its
 * protocol (protocol/protocol.h). An *instance* is one member: a structure, a value for every symbol, and the same
 * terms with numbers. Everything later (residual, graph, set, vector, reference) is derived from an instance's term
 * list and nothing else.
 *
 * Canonical terms. An equation "left = right" is read as left - right, expanded by the product rule and
 * multiplied out into monomials  coefficient * source(coordinates) * product of factors,  like monomials
 * merged, factors sorted (field, then orders), terms in the order of first appearance in the text.
 */
#ifndef SYSTEM_SYSTEM_H
#define SYSTEM_SYSTEM_H

#include "base/base.h"
#include "protocol/protocol.h"
#include "system/expression.h"

enum {
  SYSTEM_MAX_COORDINATES = 4,
  SYSTEM_MAX_ORDER = 4, /* of one derivative, summed over coordinates */
  SYSTEM_MAX_FIELDS = 8,
  SYSTEM_MAX_SYMBOLS = 128,
  SYSTEM_MAX_STRUCTURES = 64,
  SYSTEM_MAX_ARITY = 8
};

/* Derivatives of the fields, some at a time: room for all up to the highest order along each of two coordinates. */
enum { SYSTEM_ORDER_LIST = 32 };
typedef struct system_orders {
  int count;
  uint8_t list[SYSTEM_ORDER_LIST][SYSTEM_MAX_COORDINATES];
} system_orders;

typedef struct system_coordinate {
  const char *name;
  double low, high;
  bool periodic; /* low and high are the same place */
  bool time;     /* at most one coordinate */
  /* Features sin, cos(2 pi k (x-low)/(high-low)), k = fourier_low..fourier_high; 0, 0: the coordinate itself. */
  int fourier_low, fourier_high;
  bool fourier_stated;  /* by the text itself; does not make problems differ */
  bool soft_period;     /* periodicity by a penalty on value pairs instead of by features */
  double period_weight; /* of that penalty */
} system_coordinate;

/* Ends of a coordinate about which what the network reads of it is even: the raw output has no slope there. */
enum { MIRROR_LOW = 1, MIRROR_HIGH = 2 };

typedef struct system_field {
  const char *name;
  const expression *transform; /* of EXPRESSION_RAW: declared, or built from the hard conditions; NULL: identity */
  bool declared;               /* the text gives the transform itself */
  uint8_t mirror[SYSTEM_MAX_COORDINATES]; /* MIRROR_ bits: where a hard condition fixes the slope */
} system_field;

typedef enum system_symbol_kind {
  SYMBOL_COEFFICIENT, /* sampled, stands in the equations */
  SYMBOL_PARAMETER,   /* sampled, reaches the equations through derived symbols (V0, R0) */
  SYMBOL_DERIVED      /* let: an expression in earlier symbols */
} system_symbol_kind;

typedef struct system_symbol {
  const char *name;
  system_symbol_kind kind;
  double low, high;        /* trained range; unused for derived symbols */
  bool logarithmic;        /* sampled uniformly in log10, and described by its log10 */
  bool optional;           /* a structure may leave it out */
  int grid;                /* nodes of the sampling grid over the range; 0: continuous */
  const expression *value; /* derived: from earlier symbols; else NULL */
} system_symbol;

/* One field or one of its derivatives, to a power. */
typedef struct system_factor {
  int field;
  uint8_t order[SYSTEM_MAX_COORDINATES]; /* derivative order in each coordinate; all zero: the field itself */
  int power;                             /* at least 1 */
} system_factor;

int factor_order(const system_factor *factor); /* summed over the coordinates */

typedef struct system_term {
  int equation;
  const expression *coefficient; /* of symbols only */
  const expression *source;      /* of coordinates (and symbols); NULL: 1 */
  int factor_count;              /* distinct factors */
  const system_factor *factors;
  int arity; /* factors with multiplicity */
} system_term;

typedef struct system_equation {
  int field;     /* whose equation it is */
  double weight; /* in the loss; the default is 1 / equations */
} system_equation;

typedef enum system_condition_kind { CONDITION_INITIAL, CONDITION_BOUNDARY } system_condition_kind;

/* d^order field = value at coordinate = at. Periodicity stands with the coordinate, not here.
 * A hard condition is already in the field's transform; it is kept for the reference and for printing. */
typedef struct system_condition {
  system_condition_kind kind;
  int field, coordinate;
  double at;
  uint8_t order[SYSTEM_MAX_COORDINATES]; /* all zero: the value (Dirichlet) */
  const expression *value;
  bool hard;
  bool unknown;       /* an initial value that only a fit can find; `value` is 0 and means nothing */
  double weight;      /* of a soft condition */
  const char *remark; /* why a condition that might have been hard is soft; NULL: nothing to say */
} system_condition;

typedef struct system_structure {
  const char *name;
  bool held;          /* never seen in meta-training */
  const bool *absent; /* [symbols] */
} system_structure;

typedef struct system_case {
  const char *name;
  int structure;
  const double *values; /* [symbols]; NaN where not given; derived symbols are computed */
} system_case;

/* A family. Immutable after reading; everything lives in its arena. */
typedef struct ans_problem {
  arena *arena;
  const char *name;
  int coordinate_count, field_count, symbol_count, equation_count, term_count, condition_count, structure_count,
      case_count;
  const system_coordinate *coordinates;
  const system_field *fields;
  const system_symbol *symbols;
  const system_equation *equations; /* in the order of the fields they belong to: equations[f].field == f */
  const system_term *terms;         /* grouped by equation */
  const system_condition *conditions;
  const system_structure *structures; /* at least one */
  const system_case *cases;
  int time; /* the time coordinate, or -1 */
  /* Of a variant: by which the terms with the highest derivative in space of each equation are multiplied; 0: none. */
  double thickening;
  protocol_settings protocol;
  const char *text; /* as system_print prints it; NULL: not kept */
} ans_problem;

/* A term with its number. Terms whose coefficient is zero are not listed, nor are those whose source is zero everywhere
 * for the values of the instance. */
typedef struct instance_term {
  const system_term *term;
  double coefficient;
} instance_term;

typedef struct ans_instance {
  arena *arena;
  const ans_problem *problem; /* borrowed: outlives the instance */
  int structure;
  const double *values; /* [symbols]; 0 where absent */
  const bool *present;  /* [symbols] */
  int term_count;
  const instance_term *terms; /* grouped by equation, in the problem's order */
} ans_instance;

/* Reads a problem from memory. `name` stands in messages. Includes are looked up in `directory` (NULL: refused). */
ans_status system_parse(ans_context *context, const char *name, const char *directory, const char *text, size_t length,
                        ans_problem **result);
ans_status system_read(ans_context *context, const char *path, ans_problem **result);
void system_free(ans_problem *problem);

/* What is different in a variant of a problem. Members that are zero leave things as they are. */
typedef struct system_variation {
  bool window;       /* another span of time: */
  double begin, end; /* of it */
  /* [conditions]: what the initial ones say at `begin`, profiles along the space coordinate or (NULL) numbers; both
   * NULL: the text's own values. */
  const system_profile *const *profiles;
  const double *numbers;
  int width, layers; /* of the network */
  int fourier;       /* highest frequency of every coordinate that has Fourier features */
  double thickening; /* see ans_problem: layers and fronts become thicker */
} system_variation;

/* A problem of its own, which is not printed: no text says what a profile is. A declared transform has its initial
 * values inside, and cannot begin at another time: ANS_UNSUPPORTED. */
ans_status system_vary(ans_context *context, const ans_problem *problem, const system_variation *variation,
                       ans_problem **result);
/* The same problem for another owner, who frees it too. */
ans_problem *system_share(const ans_problem *problem);

/* "a=0.25,b=3": what varies in the family, in shortest decimals that read back as the same numbers. */
ans_status system_print_values(ans_context *context, const ans_instance *instance, char **text);

/* The canonical text: reading it gives an equal problem. */
ans_status system_print(ans_context *context, const ans_problem *problem, char **text);
bool system_equal(const ans_problem *a, const ans_problem *b);

/* The middle of a sampled symbol's range, in its logarithm if it varies so. */
double system_symbol_middle(const system_symbol *symbol);

/* Equal but for name, cases, sampler, train, adapt and reference: a model of the one serves the other. */
bool system_same_family(const ans_problem *a, const ans_problem *b);

/* One member. values: [symbols], NaN where not given (absent or derived); an active sampled symbol without a
 * value is an error that names it. `insist` accepts values outside their range (they must still be finite). */
ans_status system_instance(ans_context *context, const ans_problem *problem, int structure, const double *values,
                           bool insist, ans_instance **result);
/* The same in an arena of the caller's, which outlives it; system_instance_free is not for it. */
ans_status system_instance_in(ans_context *context, arena *arena, const ans_problem *problem, int structure,
                              const double *values, bool insist, ans_instance **result);
/* The same member of the same family, as `problem` has it: an instance's own problem or a variant of it. */
ans_status system_instance_like(ans_context *context, const ans_problem *problem, const ans_instance *like,
                                ans_instance **result);
void system_instance_free(ans_instance *instance);

/* The first field whose initial value is unknown; -1: none. Whatever needs it says so. */
int system_unknown_initial(const ans_problem *problem);
ans_status system_require_initial(ans_context *context, const ans_problem *problem);

int system_find_structure(const ans_problem *problem, const char *name); /* -1: none */
int system_find_case(const ans_problem *problem, const char *name);

/* How often `text` ("xx", "xixi") can be cut into names of coordinates, 2 meaning more; adds one way to `order`. */
int system_cut_coordinates(const system_coordinate *coordinates, int count, const char *text, unsigned *order);
int system_find_symbol(const ans_problem *problem, const char *name);

/* Reads "name=value,name=value" over the given values. */
ans_status system_assign(ans_context *context, const ans_problem *problem, const char *assignments, double *values);

/* Stable hash of everything that determines the equation, its conditions and its numbers (cache key). */
uint64_t system_instance_hash(const ans_instance *instance);

#endif
