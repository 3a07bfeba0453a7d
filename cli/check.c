/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - `ansatz check`: tries everything a problem file asks for once, in little time, and says what looks wrong.
 */
#include "check.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "options.h"
#include "problem_file.h"
#include "progress.h"
#include "unseen.h"

enum { SENTENCE_BYTES = 1024 };

/* ---- Findings ---------------------------------------------------------------------------------------- */

static const char *const kind_names[] = {"note", "doubtful", "wrong"};

void findings_add(findings *findings, finding_kind kind, const char *format, ...) {
  char text[SENTENCE_BYTES];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  for (size_t i = 0; i < findings->count; i++)
    if (strcmp(findings->list[i].text, text) == 0) return;
  finding *larger = realloc(findings->list, (findings->count + 1) * sizeof *larger);
  char *kept = strdup(text);
  if (larger) findings->list = larger;
  if (!larger || !kept) {
    findings->failed = true;
    free(kept);
    return;
  }
  findings->list[findings->count++] = (finding){kind, kept};
}

void findings_drop(findings *findings) {
  for (size_t i = 0; i < findings->count; i++) free(findings->list[i].text);
  free(findings->list);
}

static size_t count_of(const findings *findings, finding_kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < findings->count; i++) count += findings->list[i].kind == kind;
  return count;
}

/* ---- What is tried ----------------------------------------------------------------------------------- */

/* A few steps of training or of a solver. */
typedef struct trial {
  bool ok, tried, refused;        /* refused: too large to be tried */
  long steps;                     /* that the file plans */
  bool ends_early;                /* Gauss-Newton: the steps are the most it takes, and later ones cost more */
  double loss, gradient;          /* of the first, and its norm */
  double first, seconds_per_step; /* seconds of the first, and of each after it */
  char failure[SENTENCE_BYTES];
} trial;

/* One structure at its first case or, without one, at the middle of the ranges. */
typedef struct tried_structure {
  const char *name, *member; /* "H1" or "the middle of its ranges" */
  size_t cases;
  bool held, has_reference;
  ans_reference_report report;
  char failure[SENTENCE_BYTES]; /* of the reference; "" when it succeeded */
} tried_structure;

typedef struct checked {
  bool no_memory; /* a trial ended for lack of memory, or would have */
  bool open;      /* an initial value is unknown */
  ans_context *context;
  const arguments *arguments;
  ans_problem *problem;
  size_t structure_count;
  tried_structure *structures;
  trial training, adaptation;
  findings findings;
  progress bar;
} checked;

static const char *sentence(const checked *c) { return ans_context_diagnostic(c->context)->message; }

/* The first case of a structure, and how many there are; NULL: none. */
static const char *first_case(const ans_problem *problem, ans_context *context, size_t structure, size_t *count) {
  const char *first = NULL;
  *count = 0;
  for (size_t i = 0; i < ans_problem_count(problem, ANS_CASES); i++) {
    ans_choice choice = ANS_CHOICE_DEFAULT;
    ans_instance *instance;
    choice.case_name = ans_problem_name(problem, ANS_CASES, i);
    choice.outside = true;
    if (ans_instance_new(context, problem, choice, &instance) != ANS_OK) continue;
    if (ans_instance_structure(instance) == structure && ++*count == 1) first = choice.case_name;
    ans_instance_free(instance);
  }
  return first;
}

static ans_status member_of(checked *c, size_t structure, tried_structure *tried, ans_instance **instance) {
  const char *name = first_case(c->problem, c->context, structure, &tried->cases);
  ans_choice choice = ANS_CHOICE_DEFAULT;
  tried->name = ans_problem_name(c->problem, ANS_STRUCTURES, structure);
  tried->held = ans_structure_held(c->problem, structure);
  tried->member = name ? name : "the middle of its ranges";
  choice.case_name = name;
  choice.structure = name ? NULL : tried->name;
  choice.fill = choice.outside = true;
  return ans_instance_new(c->context, c->problem, choice, instance);
}

static void try_reference(checked *c, const ans_instance *instance, tried_structure *tried) {
  ans_solution *reference = NULL;
  char where[256];
  ans_status status = ans_reference_solve(c->context, instance, (ans_reference_options){0}, &reference, &tried->report);
  tried->has_reference = status == ANS_OK;
  snprintf(where, sizeof where, "%s (%s)", tried->name, tried->member);
  if (status != ANS_OK) {
    snprintf(tried->failure, sizeof tried->failure, "%s", sentence(c));
    findings_add(&c->findings, status == ANS_UNSUPPORTED ? FINDING_NOTE : FINDING_DOUBTFUL,
                 status == ANS_UNSUPPORTED ? "there is no reference to compare with: %s" : "no reference: %s",
                 sentence(c));
  } else if (isinf(tried->report.self_difference) || isinf(tried->report.time_difference))
    findings_add(&c->findings, FINDING_DOUBTFUL,
                 "the reference of %s could not be made with half its points or other time steps, so nothing says how "
                 "good it is: give it more with `reference points N`",
                 where);
  else if (tried->report.self_difference > 1e-2)
    findings_add(&c->findings, FINDING_DOUBTFUL,
                 "the reference of %s changes by %.1g with half its points: give it more with `reference points N`",
                 where, tried->report.self_difference);
  else if (tried->report.time_difference > 1e-2)
    findings_add(&c->findings, FINDING_DOUBTFUL,
                 "the reference of %s changes by %.1g with other time steps: make `reference relative` smaller", where,
                 tried->report.time_difference);
  check_sizes(c->context, instance, where, reference, &c->findings);
  ans_solution_free(reference);
}

static void try_structure(checked *c, size_t structure) {
  tried_structure *tried = &c->structures[structure];
  ans_instance *instance;
  check_ranges(c->context, c->problem, structure, &c->findings);
  if (member_of(c, structure, tried, &instance) != ANS_OK) {
    snprintf(tried->failure, sizeof tried->failure, "%s", sentence(c));
    findings_add(&c->findings, FINDING_WRONG, "structure %s at %s: %s", tried->name, tried->member, sentence(c));
    return;
  }
  check_sources(c->context, instance, &c->findings);
  check_conditions(instance, &c->findings);
  if (c->open)
    snprintf(tried->failure, sizeof tried->failure, "an initial value is unknown");
  else
    try_reference(c, instance, tried);
  ans_instance_free(instance);
}

/* ---- Training and adaptation, timed ------------------------------------------------------------------- */

enum { TRIAL_STEPS = 9 };

/* The first step warms up; then up to 8 are timed, for at most 2 s. If the first alone is slower, its time is used. */
static ans_run_rules trial_rules(void) {
  ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
  rules.steps = TRIAL_STEPS;
  rules.seconds = 2;
  rules.every = 1;
  return rules;
}

static bool time_step(void *data, ans_progress now) {
  trial *trial = data;
  if (now.step == 1) {
    trial->loss = now.loss;
    trial->gradient = now.gradient_norm;
    trial->first = trial->seconds_per_step = now.seconds;
  } else
    trial->seconds_per_step = (now.seconds - trial->first) / (double)(now.step - 1);
  return true;
}

static void note_failure(checked *c, ans_status status, trial *trial) {
  snprintf(trial->failure, sizeof trial->failure, "%s", sentence(c));
  c->no_memory = c->no_memory || status == ANS_MEMORY;
}

/* A file of two hundred bytes may ask for days or for more memory than there is: that is said before it is tried. */
static bool too_large(checked *c, const char *what, trial *trial) {
  const double pace = 10, patience = 30; /* GFlop a second of a slow core; seconds for one step */
  ans_cost cost = ans_step_cost(c->problem, trial == &c->training);
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  double seconds = cost.gflop / (pace * c->arguments->threads);
  if (cost.bytes > memory)
    snprintf(trial->failure, sizeof trial->failure,
             "a step of %s needs at least %.3g GB of memory; this machine has %.3g", what, 1e-9 * cost.bytes,
             1e-9 * memory);
  else if (seconds > patience)
    snprintf(trial->failure, sizeof trial->failure,
             "a step of %s is at least %.3g GFlop, about %.0f s: it was not tried", what, cost.gflop, seconds);
  else
    return false;
  trial->tried = trial->refused = true;
  c->no_memory = c->no_memory || cost.bytes > memory;
  findings_add(&c->findings, cost.bytes > memory ? FINDING_WRONG : FINDING_DOUBTFUL, "%s", trial->failure);
  return true;
}

static void end_trial(checked *c, ans_status status, trial *trial) {
  trial->ok = status == ANS_OK;
  if (!trial->ok) note_failure(c, status, trial);
}

/* A network begins with numbers near one and moves by its rate: it never arrives at a field of 1e20. */
static void check_units(checked *c, const char *what, const trial *trial) {
  const double large = 1e8, least = 1e-6; /* Adam adds 1e-8 to each entry of a gradient of some ten thousand */
  if (trial->ok && trial->loss > large)
    findings_add(&c->findings, FINDING_DOUBTFUL,
                 "the first loss of %s is %.1e: choose units in which coordinates, fields and terms are near one", what,
                 trial->loss);
  if (trial->ok && trial->loss == 0)
    findings_add(
        &c->findings, FINDING_DOUBTFUL,
        "the first loss of %s is 0: there is nothing to learn, or the residuals are too small for the number format",
        what);
  else if (trial->ok && trial->gradient < least)
    findings_add(
        &c->findings, FINDING_DOUBTFUL,
        "the first gradient of %s is %.1e, which the optimiser cannot distinguish from 0: multiply the equations by a "
        "number so that their terms are near one",
        what, trial->gradient);
}

static void try_training(checked *c) {
  ans_training *training = NULL;
  ans_training_options options = {.seed = c->arguments->seed, .threads = c->arguments->threads};
  if (too_large(c, "training", &c->training)) return;
  c->training.tried = true;
  ans_run_rules rules = trial_rules();
  ans_status status = ans_training_begin(c->context, c->problem, &options, &training);
  if (status == ANS_OK) {
    c->training.steps = ans_training_state(training).steps;
    status = ans_training_run(c->context, training, &rules, time_step, &c->training);
  }
  end_trial(c, status, &c->training);
  ans_training_free(training);
  if (!c->training.ok) findings_add(&c->findings, FINDING_WRONG, "a training step fails: %s", c->training.failure);
  check_units(c, "training", &c->training);
}

static void try_adaptation(checked *c) {
  ans_instance *instance = NULL;
  ans_solver *solver = NULL;
  ans_solver_options options = {.seed = c->arguments->seed, .threads = c->arguments->threads, .attempts = 1};
  tried_structure unused = {0};
  if (too_large(c, "adaptation", &c->adaptation)) return;
  if (member_of(c, c->structure_count - 1, &unused, &instance) != ANS_OK) return;
  c->adaptation.tried = true;
  ans_run_rules rules = trial_rules();
  ans_status status = ans_solver_begin(c->context, NULL, instance, &options, &solver);
  if (status == ANS_OK) {
    ans_solver_info info = ans_solver_information(solver);
    c->adaptation.steps = info.steps;
    c->adaptation.ends_early = info.method == ANS_GAUSS_NEWTON;
    status = ans_solver_run(c->context, solver, &rules, time_step, &c->adaptation);
  }
  end_trial(c, status, &c->adaptation);
  if (!c->adaptation.ok)
    findings_add(&c->findings, FINDING_WRONG, "an adaptation step fails: %s", c->adaptation.failure);
  if (!c->adaptation.ends_early) check_units(c, "adaptation", &c->adaptation); /* Gauss-Newton has units of its own */
  ans_solver_free(solver);
  ans_instance_free(instance);
}

/* A field whose initial value is unknown: the problem is for `ansatz fit`, and nothing else can be tried. */
static void find_open(checked *c) {
  for (size_t i = 0; i < ans_problem_count(c->problem, ANS_CONDITIONS); i++) {
    ans_condition condition = ans_problem_condition(c->problem, i);
    c->open = c->open || condition.unknown;
    if (condition.unknown)
      findings_add(&c->findings, FINDING_NOTE,
                   "the initial value of %s is unknown: only `ansatz fit` can use this problem",
                   ans_problem_name(c->problem, ANS_FIELDS, condition.field));
  }
}

static void note_cases(checked *c) {
  size_t training = 0;
  for (size_t i = 0; i < c->structure_count; i++) {
    training += !c->structures[i].held;
    if (c->structures[i].cases == 0 && c->structures[i].held)
      findings_add(&c->findings, FINDING_DOUBTFUL,
                   "structure %s is held back from training, but has no case to test on", c->structures[i].name);
    else if (c->structures[i].cases == 0)
      findings_add(&c->findings, FINDING_NOTE, "structure %s has no case", c->structures[i].name);
  }
  if (training == 0)
    findings_add(&c->findings, FINDING_DOUBTFUL, "every structure is held back: there is nothing to train on");
}

/* By the default descriptor. */
static void note_unseen(checked *c) {
  char text[SENTENCE_BYTES];
  if (unseen_text(c->problem, "graph", text, sizeof text)) findings_add(&c->findings, FINDING_DOUBTFUL, "%s", text);
}

static ans_status check_all(checked *c) {
  ans_status status = problem_open(c->context, c->arguments->operands[0], &c->problem);
  if (status != ANS_OK) return status;
  c->structure_count = ans_problem_count(c->problem, ANS_STRUCTURES);
  c->structures = calloc(c->structure_count, sizeof *c->structures);
  if (!c->structures) return ANS_MEMORY;
  find_open(c);
  long total = (long)c->structure_count + 2;
  progress_begin(&c->bar, "check", 0, total, c->arguments->quiet);
  for (size_t i = 0; i < c->structure_count; i++) {
    try_structure(c, i);
    progress_update(&c->bar, (long)i + 1, (double)NAN);
  }
  if (!c->open) try_training(c);
  progress_update(&c->bar, total - 1, (double)NAN);
  if (!c->open) try_adaptation(c);
  progress_end(&c->bar);
  note_cases(c);
  note_unseen(c);
  return c->findings.failed ? ANS_MEMORY : ANS_OK;
}

/* ---- The report ------------------------------------------------------------------------------------- */

static void tell_structure(const tried_structure *s) {
  char name[128];
  snprintf(name, sizeof name, "%s%s", s->name, s->held ? " (held)" : "");
  printf("%-24s %5zu  ", name, s->cases);
  if (!s->has_reference) {
    printf("none: %s\n", s->failure);
    return;
  }
  printf("%s, %.2g s", s->report.method, s->report.seconds);
  if (isinf(s->report.self_difference) || isinf(s->report.time_difference))
    printf(", no answer at half the points or other time steps");
  else if (!isnan(s->report.self_difference))
    printf(", %.1g against half the points", s->report.self_difference);
  printf("\n");
}

static void tell_trial(const char *what, const trial *trial, int threads) {
  char time[64];
  if (!trial->tried) return;
  if (!trial->ok) {
    printf("%-12s%s\n", what, trial->refused ? "not tried" : "fails");
    return;
  }
  double seconds = trial->seconds_per_step * (double)trial->steps;
  if (seconds < 10)
    snprintf(time, sizeof time, "%.2g s", seconds);
  else
    duration_text(seconds, time, sizeof time);
  bool slow = trial->seconds_per_step >= 1;
  printf("%-12s%.3g %s per ", what, trial->seconds_per_step * (slow ? 1 : 1e3), slow ? "s" : "ms");
  if (trial->ends_early)
    printf("Gauss-Newton step; stops by itself after at most %ld (--threads %d)\n", trial->steps, threads);
  else
    printf("step; %ld steps take about %s (--threads %d)\n", trial->steps, time, threads);
}

static void tell_findings(const findings *findings) {
  size_t wrong = count_of(findings, FINDING_WRONG), doubtful = count_of(findings, FINDING_DOUBTFUL);
  if (findings->count) printf("\n");
  for (int kind = FINDING_WRONG; kind >= FINDING_NOTE; kind--)
    for (size_t i = 0; i < findings->count; i++)
      if ((int)findings->list[i].kind == kind) printf("%-10s%s\n", kind_names[kind], findings->list[i].text);
  if (!wrong && !doubtful) printf("\nNothing looks wrong.\n");
}

static void tell_text(const checked *c) {
  static const struct {
    ans_part part;
    const char *one, *many;
  } parts[] = {{ANS_COORDINATES, "coordinate", "coordinates"},
               {ANS_FIELDS, "field", "fields"},
               {ANS_TERMS, "term", "terms"},
               {ANS_STRUCTURES, "structure", "structures"},
               {ANS_CASES, "case", "cases"}};
  printf("%s: ", c->arguments->operands[0]);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    size_t count = ans_problem_count(c->problem, parts[i].part);
    printf("%s%zu %s", i ? ", " : "", count, count == 1 ? parts[i].one : parts[i].many);
  }
  printf("\n\n%-24s %5s  %s\n", "structure", "cases", "reference of its first case, or of the middle of its ranges");
  for (size_t i = 0; i < c->structure_count; i++) tell_structure(&c->structures[i]);
  printf("\n");
  tell_trial("training", &c->training, c->arguments->threads);
  tell_trial("adaptation", &c->adaptation, c->arguments->threads);
  tell_findings(&c->findings);
}

static json_t *structures_json(const checked *c) {
  json_t *list = json_array();
  for (size_t i = 0; i < c->structure_count; i++) {
    const tried_structure *s = &c->structures[i];
    json_t *object = json_pack("{s:s, s:b, s:I, s:s}", "name", s->name, "held", s->held, "cases", (json_int_t)s->cases,
                               "member", s->member);
    if (s->has_reference) {
      json_object_set_new(object, "reference", json_string(s->report.method));
      json_object_set_new(object, "seconds", json_of_number(s->report.seconds));
      json_object_set_new(object, "self_difference", json_of_number(s->report.self_difference));
      json_object_set_new(object, "time_difference", json_of_number(s->report.time_difference));
    } else
      json_object_set_new(object, "failure", json_string(s->failure));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *trial_json(const trial *trial) {
  if (!trial->tried) return json_null();
  if (!trial->ok) return json_pack("{s:b, s:s}", "ok", false, "failure", trial->failure);
  return json_pack("{s:b, s:s, s:I, s:o, s:o, s:o}", "ok", true, "method", trial->ends_early ? "gauss_newton" : "adam",
                   "steps", (json_int_t)trial->steps, "loss", json_of_number(trial->loss), "seconds_per_step",
                   json_of_number(trial->seconds_per_step), "seconds",
                   json_of_number(trial->seconds_per_step * (double)trial->steps));
}

static json_t *findings_json(const findings *findings) {
  json_t *list = json_array();
  for (size_t i = 0; i < findings->count; i++)
    json_array_append_new(
        list, json_pack("{s:s, s:s}", "kind", kind_names[findings->list[i].kind], "text", findings->list[i].text));
  return list;
}

static int tell(const checked *c) {
  int code = c->no_memory ? EXIT_MEMORY : count_of(&c->findings, FINDING_WRONG) ? exit_code(ANS_MEANING) : EXIT_OK;
  if (!c->arguments->json) {
    tell_text(c);
    return code;
  }
  int printed = print_json(json_pack("{s:o, s:o, s:o, s:o, s:i, s:o}", "file", json_of_text(c->arguments->operands[0]),
                                     "structures", structures_json(c), "training", trial_json(&c->training),
                                     "adaptation", trial_json(&c->adaptation), "threads", c->arguments->threads,
                                     "findings", findings_json(&c->findings)));
  return printed == EXIT_OK ? code : printed;
}

static int run_check(const arguments *arguments) {
  checked c = {.arguments = arguments};
  if (ans_context_new(&c.context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  ans_status status = check_all(&c);
  int code = status == ANS_OK ? tell(&c) : status == ANS_MEMORY ? EXIT_MEMORY : report_failure(c.context, status);
  if (status == ANS_MEMORY) complain("memory is exhausted");
  findings_drop(&c.findings);
  free(c.structures);
  ans_problem_free(c.problem);
  ans_context_free(c.context);
  return code;
}

const command check_command = {
    .name = "check",
    .operands = "FILE",
    .summary = "try a problem file and say what looks wrong",
    .description = "Reads the file, computes a reference for one member of every structure, and runs a few steps of "
                   "training and of adaptation from scratch. From these it estimates how long a full run takes on "
                   "this machine. It reports ranges that contain a singularity, terms of very different size, "
                   "conditions that contradict the initial value, structures without cases, coefficients that the "
                   "default descriptor does not see, and why a reference fails. Findings marked wrong give exit code "
                   "3, too little memory gives 9; findings marked doubtful may be intended. FILE is a path, the name "
                   "of a shipped family (fisher), or - for standard input.",
    .options = (const option[]){{0}},
    .examples = (const example[]){{"check mine.pde", "before training: is it consistent, and how long will it take"},
                                  {"check fisher --json", "a shipped family, as JSON"},
                                  {0}},
    .run = run_check,
};
