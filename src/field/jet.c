/* SPDX-License-Identifier: Apache-2.0
 *
 * jet.c - compiles a postfix program to a list of nodes with known operands, and runs it forward and backward.
 *
 * Division is multiplication by a reciprocal and a general power is an exponential, so that only three
 * operations take two elements. Nodes that depend on no coordinate are plain numbers; nodes that do not
 * depend on the raw output are not visited backward.
 */
#include "field/jet.h"

#include <assert.h>
#include <string.h>

#include "field/jet_function.h"

typedef enum jet_op {
  JET_NUMBER,
  JET_SYMBOL,
  JET_COORDINATE,
  JET_RAW,
  JET_ADD,
  JET_SUBTRACT,
  JET_MULTIPLY,
  JET_FUNCTION,
  JET_INSIDE
} jet_op;

typedef struct jet_node {
  jet_op op;
  jet_function function; /* JET_FUNCTION of operand a; b is the exponent of a power */
  int a, b, c;           /* operands, earlier nodes */
  int index;             /* symbol, coordinate; of a profile: its derivative */
  double number;
  const system_profile *profile; /* JET_PROFILE */
  bool constant, raw;            /* depends on no coordinate and not on raw; depends on raw */
  bool affine;                   /* in raw, by its form */
} jet_node;

struct jet_plan {
  int count;
  jet_node nodes[];
};

static int add_node(jet_plan *plan, jet_node node) {
  assert(node.a <= plan->count && node.b <= plan->count && node.c <= plan->count); /* operands are earlier nodes */
  bool leaf = node.op <= JET_RAW;
  bool three = node.op == JET_INSIDE,
       two = three || (node.op >= JET_ADD && node.op <= JET_MULTIPLY) || node.function == JET_POWER;
  const jet_node *a = &plan->nodes[node.a], *b = &plan->nodes[node.b], *c = &plan->nodes[node.c];
  node.constant = leaf ? node.op <= JET_SYMBOL : a->constant && (!two || b->constant) && (!three || c->constant);
  node.raw = leaf ? node.op == JET_RAW : a->raw || (two && b->raw) || (three && c->raw);
  bool bends = node.op == JET_MULTIPLY ? a->raw && b->raw : node.op == JET_FUNCTION && node.function != JET_NEGATE;
  node.affine = !node.raw || leaf || (!bends && !three && a->affine && (!two || b->affine));
  plan->nodes[plan->count] = node;
  return plan->count++;
}

static int add_function(jet_plan *plan, jet_function function, int a, int b) {
  return add_node(plan, (jet_node){.op = JET_FUNCTION, .function = function, .a = a, .b = b});
}

static int add_power(jet_plan *plan, int base, int exponent) {
  assert(base >= 0 && base < plan->count && exponent >= 0 && exponent < plan->count);
  if (plan->nodes[exponent].constant) return add_function(plan, JET_POWER, base, exponent);
  int logarithm = add_function(plan, JET_LOG, base, 0);
  int product = add_node(plan, (jet_node){.op = JET_MULTIPLY, .a = logarithm, .b = exponent});
  return add_function(plan, JET_EXP, product, 0);
}

static jet_function function_of(expression_op op) {
  switch (op) {
  case EXPRESSION_NEGATE: return JET_NEGATE;
  case EXPRESSION_SIN: return JET_SIN;
  case EXPRESSION_COS: return JET_COS;
  case EXPRESSION_TAN: return JET_TAN;
  case EXPRESSION_SINH: return JET_SINH;
  case EXPRESSION_COSH: return JET_COSH;
  case EXPRESSION_TANH: return JET_TANH;
  case EXPRESSION_EXP: return JET_EXP;
  case EXPRESSION_LOG: return JET_LOG;
  case EXPRESSION_LOG10: return JET_LOG10;
  case EXPRESSION_SQRT: return JET_SQRT;
  case EXPRESSION_PROFILE: return JET_PROFILE;
  default: return JET_ABS;
  }
}

static int add_step(jet_plan *plan, const expression_step *step, const int *operand) {
  assert(step->op >= 0 && step->op < EXPRESSION_OPS);
  switch (step->op) {
  case EXPRESSION_NUMBER: return add_node(plan, (jet_node){.op = JET_NUMBER, .number = step->number});
  case EXPRESSION_SYMBOL: return add_node(plan, (jet_node){.op = JET_SYMBOL, .index = step->index});
  case EXPRESSION_COORDINATE: return add_node(plan, (jet_node){.op = JET_COORDINATE, .index = step->index});
  case EXPRESSION_RAW: return add_node(plan, (jet_node){.op = JET_RAW});
  case EXPRESSION_ADD: return add_node(plan, (jet_node){.op = JET_ADD, .a = operand[0], .b = operand[1]});
  case EXPRESSION_SUBTRACT: return add_node(plan, (jet_node){.op = JET_SUBTRACT, .a = operand[0], .b = operand[1]});
  case EXPRESSION_MULTIPLY: return add_node(plan, (jet_node){.op = JET_MULTIPLY, .a = operand[0], .b = operand[1]});
  case EXPRESSION_DIVIDE: {
    int reciprocal = add_function(plan, JET_RECIPROCAL, operand[1], 0);
    return add_node(plan, (jet_node){.op = JET_MULTIPLY, .a = operand[0], .b = reciprocal});
  }
  case EXPRESSION_POWER: return add_power(plan, operand[0], operand[1]);
  case EXPRESSION_PROFILE:
    return add_node(plan, (jet_node){.op = JET_FUNCTION,
                                     .function = JET_PROFILE,
                                     .a = operand[0],
                                     .index = step->index,
                                     .profile = step->profile});
  case EXPRESSION_INSIDE:
    return add_node(plan, (jet_node){.op = JET_INSIDE, .a = operand[0], .b = operand[1], .c = operand[2]});
  default: return add_function(plan, function_of(step->op), operand[0], 0);
  }
}

ans_status jet_compile(ans_context *context, arena *arena, const expression *expression, const jet_plan **result) {
  assert(expression->count > 0 && expression->depth <= EXPRESSION_MAX_DEPTH);
  size_t room = size_product(3 * expression->count, sizeof(jet_node));
  jet_plan *plan = room > SIZE_MAX / 2 ? NULL : arena_take(arena, sizeof *plan + room);
  if (!plan) return context_no_memory(context);
  int stack[EXPRESSION_MAX_DEPTH], depth = 0;
  for (size_t i = 0; i < expression->count; i++) {
    int operands = expression_operands(expression->steps[i].op);
    FAIL_IF(depth < operands || depth - operands >= EXPRESSION_MAX_DEPTH, context, ANS_MEANING,
            "an expression is damaged");
    depth -= operands;
    stack[depth] = add_step(plan, &expression->steps[i], stack + depth);
    depth++;
  }
  FAIL_IF(depth != 1, context, ANS_MEANING, "an expression is damaged");
  *result = plan;
  return ANS_OK;
}

/* Elements of all nodes, then their gradients, then two for products. */
size_t jet_workspace(const jet_plan *plan, int rows) {
  assert(plan->count > 0 && rows > 0);
  return size_product(2 * (size_t)plan->count + 2, (size_t)rows);
}

/* out += a b by the product table. */
void jet_add_product(const algebra *algebra, int points, const double *restrict a, const double *restrict b,
                     double *restrict out) {
  assert(a != out && b != out);
  for (int k = 0; k < algebra->product_count; k++) {
    algebra_product it = algebra->products[k];
    const double *left = a + it.left * points, *right = b + it.right * points;
    double *to = out + it.result * points;
    for (int p = 0; p < points; p++) to[p] += it.factor * left[p] * right[p];
  }
}

/* out += transposed multiplication by a, applied to g. */
void jet_add_transposed(const algebra *algebra, int points, const double *restrict a, const double *restrict g,
                        double *restrict out) {
  for (int k = 0; k < algebra->product_count; k++) {
    algebra_product it = algebra->products[k];
    const double *left = a + it.left * points, *up = g + it.result * points;
    double *to = out + it.right * points;
    for (int p = 0; p < points; p++) to[p] += it.factor * left[p] * up[p];
  }
}

static void profile_coefficients(const jet_node *node, int count, int points, const double *z,
                                 double (*a)[JET_MAX_POINTS]) {
  double at[ALGEBRA_MAX_DEGREE + 2];
  assert(count > 0);
  for (int p = 0; p < points; p++) {
    profile_taylor(node->profile, z[p], node->index, count, at);
    for (int m = 0; m < count; m++) a[m][p] = at[m];
  }
}

/* out <- phi(z) (derivative = 0) or phi'(z) (derivative = 1), by Horner's rule in z without its value. */
static void apply_function(const jet_node *node, double exponent, int derivative, const algebra *algebra, int points,
                           const double *z, double *spare, double *out) {
  assert(points <= JET_MAX_POINTS && algebra->degree + derivative <= ALGEBRA_MAX_DEGREE + 1 && spare != out);
  double a[ALGEBRA_MAX_DEGREE + 2][JET_MAX_POINTS];
  size_t size = (size_t)algebra->channels * (size_t)points;
  if (node->function == JET_PROFILE)
    profile_coefficients(node, algebra->degree + 1 + derivative, points, z, a);
  else
    jet_coefficients(node->function, exponent, algebra->degree + 1 + derivative, points, z, a);
  memset(out, 0, size * sizeof *out);
  for (int m = algebra->degree; m >= 0; m--) {
    if (m < algebra->degree) {
      memcpy(spare, out, size * sizeof *out);
      memset(out, 0, size * sizeof *out);
      for (int k = 0; k < algebra->product_count; k++) {
        algebra_product it = algebra->products[k];
        if (!it.right) continue;
        for (int p = 0; p < points; p++)
          out[it.result * points + p] += it.factor * spare[it.left * points + p] * z[it.right * points + p];
      }
    }
    for (int p = 0; p < points; p++) out[p] += derivative ? (m + 1) * a[m + 1][p] : a[m][p];
  }
}

static void fill(double *element, size_t size, int points, double value) {
  memset(element, 0, size * sizeof *element);
  for (int p = 0; p < points; p++) element[p] = value;
}

static int first_derivative(const algebra *algebra, int coordinate) {
  assert(coordinate >= 0 && coordinate < ALGEBRA_MAX_COORDINATES);
  uint8_t index[ALGEBRA_MAX_COORDINATES] = {0};
  index[coordinate] = 1;
  return algebra_channel(algebra, index);
}

static void set_channel(int points, int channel, double value, double *out) {
  for (int p = 0; channel > 0 && p < points; p++) out[channel * points + p] = value;
}

/* A moving coordinate has the derivative -speed in time; the problem's is `unit` times the chart's. */
static void set_coordinate(const algebra *algebra, const chart_motion *motion, double unit, int points, int coordinate,
                           const double *coordinates, double *out) {
  assert(coordinate >= 0 && coordinate < algebra->coordinates);
  double speed = motion && motion->time >= 0 && motion->time != coordinate ? motion->speed[coordinate] : 0;
  memcpy(out, coordinates + coordinate * points, (size_t)points * sizeof *out);
  set_channel(points, first_derivative(algebra, coordinate), unit, out);
  if (motion && speed != 0) set_channel(points, first_derivative(algebra, motion->time), -speed * unit, out);
  if (algebra->operator_channel > 0)
    set_channel(points, algebra->operator_channel,
                unit * (algebra->first[coordinate] - (motion && speed != 0 ? speed * algebra->first[motion->time] : 0)),
                out);
}

static void set_inside(int points, const double *x, const double *low, const double *high, double *out) {
  for (int p = 0; p < points; p++) out[p] = low[p] <= x[p] && x[p] <= high[p] ? 1 : 0;
}

static void scale(size_t size, double factor, const double *from, double *to) {
  for (size_t i = 0; i < size; i++) to[i] = factor * from[i];
}

/* Of the elements of a node's operands. A number times an element needs no table. */
static void multiply(const jet_plan *plan, const jet_node *node, const algebra *algebra, int points, const double *a,
                     const double *b, double *out) {
  size_t size = (size_t)algebra->channels * (size_t)points;
  if (plan->nodes[node->a].constant)
    scale(size, a[0], b, out);
  else if (plan->nodes[node->b].constant)
    scale(size, b[0], a, out);
  else {
    memset(out, 0, size * sizeof *out);
    jet_add_product(algebra, points, a, b, out);
  }
}

static void run_node(const jet_plan *plan, const jet_node *node, const double *values, const algebra *algebra,
                     const field_chart *chart, int field, int points, const double *coordinates, const double *raw,
                     double *elements, double *out) {
  size_t size = (size_t)algebra->channels * (size_t)points;
  const double *a = elements + (size_t)node->a * size, *b = elements + (size_t)node->b * size;
  switch (node->op) {
  case JET_NUMBER: fill(out, size, points, node->number); break;
  case JET_SYMBOL: fill(out, size, points, values[node->index]); break;
  case JET_COORDINATE:
    memset(out, 0, size * sizeof *out);
    set_coordinate(algebra, chart ? &chart->motion[field] : NULL, chart ? chart->unit[node->index] : 1, points,
                   node->index, coordinates, out);
    break;
  case JET_RAW: memcpy(out, raw, size * sizeof *out); break;
  case JET_ADD:
    for (size_t i = 0; i < size; i++) out[i] = a[i] + b[i];
    break;
  case JET_SUBTRACT:
    for (size_t i = 0; i < size; i++) out[i] = a[i] - b[i];
    break;
  case JET_MULTIPLY: multiply(plan, node, algebra, points, a, b, out); break;
  case JET_FUNCTION:
    apply_function(node, b[0], 0, algebra, points, a, elements + 2 * (size_t)plan->count * size, out);
    break;
  case JET_INSIDE:
    memset(out, 0, size * sizeof *out);
    set_inside(points, a, b, elements + (size_t)node->c * size, out);
    break;
  }
}

const double *jet_forward(const jet_plan *plan, const double *values, const algebra *algebra, const field_chart *chart,
                          int field, int points, const double *coordinates, const double *raw, double *workspace) {
  assert(plan->count > 0 && points > 0 && points <= JET_MAX_POINTS && workspace);
  size_t size = (size_t)algebra->channels * (size_t)points;
  for (int i = 0; i < plan->count; i++)
    run_node(plan, &plan->nodes[i], values, algebra, chart, field, points, coordinates, raw, workspace,
             workspace + (size_t)i * size);
  return workspace + (size_t)(plan->count - 1) * size;
}

static void add_scaled(size_t size, double factor, const double *from, double *to) {
  for (size_t i = 0; i < size; i++) to[i] += factor * from[i];
}

static void reverse_node(const jet_plan *plan, const jet_node *node, const algebra *algebra, int points,
                         double *workspace, const double *up, double *raw_gradient) {
  assert(node->raw && raw_gradient);
  size_t size = (size_t)algebra->channels * (size_t)points, all = (size_t)plan->count * size;
  const double *a = workspace + (size_t)node->a * size, *b = workspace + (size_t)node->b * size;
  double *down_a = workspace + all + (size_t)node->a * size, *down_b = workspace + all + (size_t)node->b * size;
  bool raw_a = plan->nodes[node->a].raw, raw_b = plan->nodes[node->b].raw;
  switch (node->op) {
  case JET_RAW: add_scaled(size, 1, up, raw_gradient); break;
  case JET_ADD:
  case JET_SUBTRACT:
    if (raw_a) add_scaled(size, 1, up, down_a);
    if (raw_b) add_scaled(size, node->op == JET_ADD ? 1 : -1, up, down_b);
    break;
  case JET_MULTIPLY:
    if (raw_a) jet_add_transposed(algebra, points, b, up, down_a);
    if (raw_b) jet_add_transposed(algebra, points, a, up, down_b);
    break;
  case JET_FUNCTION: {
    double *slope = workspace + 2 * all, *spare = slope + size;
    apply_function(node, b[0], 1, algebra, points, a, spare, slope);
    jet_add_transposed(algebra, points, slope, up, down_a);
    break;
  }
  default: break;
  }
}

void jet_backward(const jet_plan *plan, const algebra *algebra, int points, const double *gradient, double *workspace,
                  double *raw_gradient) {
  assert(plan->count > 0 && points > 0 && points <= JET_MAX_POINTS);
  size_t size = (size_t)algebra->channels * (size_t)points, all = (size_t)plan->count * size;
  double *gradients = workspace + all;
  memset(gradients, 0, all * sizeof *gradients);
  memset(raw_gradient, 0, size * sizeof *raw_gradient);
  memcpy(gradients + all - size, gradient, size * sizeof *gradient);
  for (int i = plan->count - 1; i >= 0; i--)
    if (plan->nodes[i].raw)
      reverse_node(plan, &plan->nodes[i], algebra, points, workspace, gradients + (size_t)i * size, raw_gradient);
}

bool jet_affine(const jet_plan *plan) {
  const jet_node *last = &plan->nodes[plan->count - 1];
  return last->raw && last->affine;
}

static void factor_node(const jet_plan *plan, const jet_node *node, const algebra *algebra, int points,
                        const double *elements, const double *factors, double *out) {
  size_t size = (size_t)algebra->channels * (size_t)points;
  const double *factor_a = factors + (size_t)node->a * size, *factor_b = factors + (size_t)node->b * size;
  bool raw_a = plan->nodes[node->a].raw, raw_b = plan->nodes[node->b].raw;
  switch (node->op) {
  case JET_RAW: fill(out, size, points, 1); break;
  case JET_MULTIPLY:
    multiply(plan, node, algebra, points, raw_a ? factor_a : elements + (size_t)node->a * size,
             raw_b ? factor_b : elements + (size_t)node->b * size, out);
    break;
  case JET_FUNCTION: scale(size, -1, factor_a, out); break; /* JET_NEGATE: nothing else is affine */
  default:
    memset(out, 0, size * sizeof *out);
    if (raw_a) add_scaled(size, 1, factor_a, out);
    if (raw_b) add_scaled(size, node->op == JET_SUBTRACT ? -1 : 1, factor_b, out);
  }
}

/* In the place of the gradients. */
const double *jet_factor(const jet_plan *plan, const algebra *algebra, int points, double *workspace) {
  assert(jet_affine(plan) && points > 0 && points <= JET_MAX_POINTS);
  size_t size = (size_t)algebra->channels * (size_t)points;
  double *factors = workspace + (size_t)plan->count * size;
  for (int i = 0; i < plan->count; i++)
    if (plan->nodes[i].raw)
      factor_node(plan, &plan->nodes[i], algebra, points, workspace, factors, factors + (size_t)i * size);
  return factors + (size_t)(plan->count - 1) * size;
}
