/* SPDX-License-Identifier: Apache-2.0
 *
 * solve_many.c - every row of a table as one equation: as many at a time as there are threads, each with one thread.
 *
 * Whoever is free takes the next row that has no record; what came of it is appended to the part file of this process.
 * From the records, and from nothing else, the report is printed and the output written. A row that cannot be read or
 * whose adaptation fails has its sentence there; the others go on.
 */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "batch.h"
#include "commit.h"
#include "fellows.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"
#include "row_claims.h"
#include "row_order.h"
#include "solve.h"

typedef struct batch {
  row_task task;
  table table;
  shard shard;
  ledger ledger;
  row_claims claims; /* of --shard any */
  row_order order;
  fellows_place together; /* processes of one mpirun that share the rows; count 1: alone, or --shard says how */
  const char *output;
} batch;

/* Whether other processes do other rows. */
static bool divided(const batch *batch) {
  return batch->together.count <= 1 && (batch->shard.any || batch->shard.count > 1);
}

/* ---- What decides the results ------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text) { return part_hash(hash, text, strlen(text) + 1); }

static uint64_t hash_table(const table *table) {
  uint64_t hash = PART_HASH;
  for (size_t i = 0; i < table->column_count; i++) hash = hash_text(hash, table->names[i]);
  for (size_t row = 0; row < table->row_count; row++)
    for (size_t i = 0; i < table->column_count; i++) hash = hash_text(hash, table_entry(table, row, i));
  return hash;
}

static uint64_t hash_model(const ans_model *model) {
  uint64_t hash = PART_HASH;
  ans_array array;
  for (size_t i = 0; (array = ans_model_array(model, i)).name; i++) {
    size_t count = array.rows * (array.columns ? array.columns : 1);
    hash = part_hash(hash_text(hash, array.name), array.values, count * sizeof *array.values);
  }
  return hash;
}

static void set_hash(json_t *settings, const char *name, uint64_t hash) {
  char text[24];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
  json_object_set_new(settings, name, json_string(text));
}

static const char *isa_in_use(void) {
  const char *pinned = getenv("ANSATZ_ISA");
  return pinned && *pinned ? pinned : ans_isa_name(0);
}

/* Options that change no row, or that do not go with --targets. */
static const char changes_nothing[] = "targets|shard|output|figure|colours|save|error-map|evaluate|case|structure|set";

static json_t *settings_of(const batch *batch, const char *problem) {
  const arguments *arguments = batch->task.arguments;
  json_t *settings = json_object();
  char text[64];
  snprintf(text, sizeof text, "%s%s%s", ans_version(), build_commit[0] ? " " : "", build_commit);
  json_object_set_new(settings, "version", json_string(text));
  json_object_set_new(settings, "the instruction set", json_string(isa_in_use()));
  set_hash(settings, "the problem", hash_text(PART_HASH, problem));
  if (batch->task.start->model) set_hash(settings, "the model", hash_model(batch->task.start->model));
  set_hash(settings, "the table", hash_table(&batch->table));
  snprintf(text, sizeof text, "%llu", (unsigned long long)arguments->seed);
  json_object_set_new(settings, "--seed", json_string(text));
  for (size_t i = 0; arguments->command->options[i].name; i++) {
    const char *name = arguments->command->options[i].name;
    if (list_place(changes_nothing, '|', name) >= 0) continue;
    snprintf(text, sizeof text, "--%s", name);
    json_object_set_new(settings, text, json_of_text(arguments->values[i]));
  }
  return settings;
}

/* "seed 101; steps 20": for people who open the file. */
static void add_line(json_t *header, const json_t *settings) {
  char line[2048] = "";
  size_t used = 0;
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)settings, name, value) {
    if (!json_is_string(value)) continue;
    const char *text = json_string_value(value), *plain = strncmp(name, "--", 2) == 0 ? name + 2 : name;
    if (strncmp(plain, "the ", 4) == 0) plain += 4;
    int length = snprintf(line + used, sizeof line - used, "%s%s%s%s", used ? "; " : "", plain, *text ? " " : "", text);
    if (length < 0 || (size_t)length >= sizeof line - used) break;
    used += (size_t)length;
  }
  json_object_set_new(header, "line", json_of_text(line));
}

static ans_status make_header(ans_context *context, const batch *batch, json_t **header) {
  char *problem;
  ans_status status = ans_problem_print(context, batch->task.start->problem, &problem);
  if (status != ANS_OK) return status;
  json_t *settings = settings_of(batch, problem);
  *header = json_pack("{s:I, s:I, s:o}", "rows", (json_int_t)batch->table.row_count, "layout",
                      (json_int_t)sizeof(row_outcome), "problem", json_of_text(problem));
  add_line(*header, settings);
  json_object_set_new(*header, "settings", settings);
  ans_free(problem);
  return *header ? ANS_OK : ANS_MEMORY;
}

/* ---- Rows are dealt out ------------------------------------------------------------------------------- */

typedef struct pool {
  batch *batch;
  pthread_mutex_t lock; /* of all that follows, and of the ledger */
  size_t next;          /* place in the order */
  bool *taken;          /* [rows] by a thread of this process; with --shard any */
  long steps;           /* taken so far, in all rows */
  progress bar;
  int code; /* of the first failure that ends the run */
} pool;

/* Whether this process gets the row: no other has it, and none has done it meanwhile. */
static bool claim(pool *pool, size_t row) {
  batch *batch = pool->batch;
  bool look;
  if (pool->taken[row] || ledger_has(&batch->ledger, row) || !row_claims_take(&batch->claims, row, &look)) return false;
  if (look && pool->code == EXIT_OK) pool->code = ledger_refresh(&batch->ledger);
  if (ledger_has(&batch->ledger, row)) {
    row_claims_give(&batch->claims, row, false);
    return false;
  }
  return pool->taken[row] = true;
}

static bool next_row(pool *pool, size_t *row) {
  batch *batch = pool->batch;
  while (pool->next < batch->table.row_count) {
    *row = row_order_at(&batch->order, pool->next++);
    if (batch->shard.any ? claim(pool, *row) : shard_has(&batch->shard, *row) && !ledger_has(&batch->ledger, *row))
      return true;
  }
  return false;
}

/* Without fixed parts another process may have written the output, and with that all is done. */
static bool goes_on(pool *pool) {
  return pool->code == EXIT_OK && !interrupted() && !(pool->batch->shard.any && ledger_is_over(&pool->batch->ledger));
}

/* Without fixed parts a process stays until every row has a record: what another one leaves undone is its to do. */
static bool others_at_work(pool *pool) {
  const struct timespec moment = {.tv_nsec = 50000000};
  batch *batch = pool->batch;
  if (!batch->shard.any || !goes_on(pool)) return false;
  pool->code = ledger_refresh(&batch->ledger);
  if (batch->ledger.done >= batch->ledger.rows) return false;
  bool mine = true; /* whether all that is missing is with threads of this process */
  for (size_t row = 0; row < batch->ledger.rows; row++)
    mine = mine && (pool->taken[row] || ledger_has(&batch->ledger, row));
  if (mine) return false;
  pool->next = 0;
  pthread_mutex_unlock(&pool->lock);
  nanosleep(&moment, NULL);
  pthread_mutex_lock(&pool->lock);
  return true;
}

static bool take_row(pool *pool, size_t *row) {
  pthread_mutex_lock(&pool->lock);
  bool found = false;
  do found = goes_on(pool) && next_row(pool, row);
  while (!found && others_at_work(pool));
  pthread_mutex_unlock(&pool->lock);
  return found;
}

/* ---- One thread --------------------------------------------------------------------------------------- */

typedef struct onlooker {
  pool *pool;
  long counted; /* steps of this row that the bar has */
} onlooker;

static void count_steps(onlooker *onlooker, long steps) {
  pool *pool = onlooker->pool;
  pthread_mutex_lock(&pool->lock);
  pool->steps += steps - onlooker->counted;
  onlooker->counted = steps;
  progress_update(&pool->bar, pool->steps, (double)NAN);
  pthread_mutex_unlock(&pool->lock);
}

static bool look_on(void *data, ans_progress now) {
  count_steps(data, now.step);
  return true;
}

/* What the machine failed at is no outcome of the row: it is done again by the next run. */
static bool row_can_be_kept(const row_outcome *outcome) {
  return outcome->status != ANS_FILE && outcome->status != ANS_MEMORY;
}

static void keep_row(pool *pool, const row_result *result) {
  batch *batch = pool->batch;
  const row_outcome *outcome = &result->outcome;
  pthread_mutex_lock(&pool->lock);
  bool kept = row_can_be_kept(outcome) && ledger_add(&batch->ledger, batch->task.start->problem, result);
  if (!row_can_be_kept(outcome))
    complain("row %llu (%s): %s", (unsigned long long)outcome->row + 1, outcome->name, outcome->sentence);
  if (!kept && pool->code == EXIT_OK) pool->code = row_can_be_kept(outcome) ? EXIT_FILE : exit_code(outcome->status);
  if (batch->shard.any) row_claims_give(&batch->claims, outcome->row, kept && !outcome->partial);
  pthread_mutex_unlock(&pool->lock);
}

static void out_of_memory(pool *pool) {
  complain("memory is exhausted");
  pool->code = EXIT_MEMORY;
}

static void *work(void *data) {
  pool *pool = data;
  long planned = shown_steps(&pool->batch->task.rules);
  ans_context *context;
  ans_solver *solver = NULL;
  size_t row;
  if (ans_context_new(&context) != ANS_OK) return out_of_memory(pool), NULL;
  while (take_row(pool, &row)) {
    row_result result;
    onlooker onlooker = {.pool = pool};
    if (row_solve(context, &pool->batch->task, row, look_on, &onlooker, &solver, &result)) {
      keep_row(pool, &result);
      count_steps(&onlooker, planned); /* a row that ended early is done all the same */
    } else {
      out_of_memory(pool);
    }
    row_drop(&result);
  }
  ans_solver_free(solver);
  ans_context_free(context);
  return NULL;
}

/* Signals are for the thread that began. */
static size_t start_threads(pool *pool, pthread_t *threads, size_t count) {
  sigset_t all, before;
  size_t started = 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (started < count && pthread_create(&threads[started], NULL, work, pool) == 0) started++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

/* Rows of this process that have no record. */
static size_t rows_left(const batch *batch) {
  size_t left = 0;
  for (size_t row = 0; row < batch->table.row_count; row++)
    left += shard_has(&batch->shard, row) && !ledger_has(&batch->ledger, row);
  return left;
}

/* A row frees what it took, and the next takes as much again: the memory stays with the process, because pages that the
 * system takes back and gives anew cost a fifth of the time of a row without steps. */
static void keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
}

static int solve_rows(batch *batch) {
  const arguments *arguments = batch->task.arguments;
  size_t rows = rows_left(batch), extra = (size_t)arguments->threads < rows ? (size_t)arguments->threads : rows;
  extra = extra > 0 ? extra - 1 : 0;
  pool pool = {.batch = batch, .lock = PTHREAD_MUTEX_INITIALIZER, .taken = calloc(batch->table.row_count, 1)};
  pthread_t *threads = calloc(extra + 1, sizeof *threads);
  if (pool.taken && threads) {
    progress_begin(&pool.bar, "adapt", 0, (long)rows * shown_steps(&batch->task.rules),
                   arguments->quiet || batch->together.rank > 0);
    keep_memory();
    size_t started = start_threads(&pool, threads, extra);
    work(&pool);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    progress_end(&pool.bar);
  } else {
    out_of_memory(&pool);
  }
  free(pool.taken);
  free(threads);
  return pool.code;
}

/* ---- The whole ---------------------------------------------------------------------------------------- */

static int open_own_part(batch *batch) {
  char ending[64];
  bool busy = false;
  int code = EXIT_OK;
  long number = 1;
  do {
    snprintf(ending, sizeof ending, batch->shard.any ? "any-%ld" : "%ld-of-%ld",
             batch->shard.any ? number : batch->shard.index, batch->shard.count);
    code = ledger_append_to(&batch->ledger, ending, &busy);
  } while (batch->shard.any && busy && ++number < 100000);
  if (busy) complain("another run is writing %s.part-%s", batch->output, ending);
  return code;
}

static int open_ledger(ans_context *context, batch *batch) {
  json_t *header = NULL;
  ans_status status = make_header(context, batch, &header);
  if (status != ANS_OK) return json_decref(header), report_failure(context, status);
  int code =
      batch->output ? ledger_open(batch->output, header, &batch->ledger) : ledger_open_hidden(header, &batch->ledger);
  json_decref(header);
  if (code != EXIT_OK || !batch->output) return code;
  code = open_own_part(batch);
  if (code == EXIT_OK && batch->shard.any)
    code = row_claims_open(batch->output, batch->table.row_count, &batch->claims);
  if (code == EXIT_OK && batch->ledger.done > 0 && batch->together.rank == 0 && !batch->task.arguments->quiet)
    remark("%zu of %zu rows are already done: continuing from %s.part-*", batch->ledger.done, batch->ledger.rows,
           batch->output);
  return code;
}

/* What is left in the part files, and for whom. */
static void remark_unfinished(const batch *batch) {
  const ledger *ledger = &batch->ledger;
  if (batch->task.arguments->quiet || !batch->output || batch->together.rank > 0) return;
  if (interrupted())
    remark("interrupted: %zu of %zu rows are done and kept in %s.part-*; the same command continues", ledger->done,
           ledger->rows, batch->output);
  else if (divided(batch))
    remark("%zu of %zu rows are done; when all are, run `ansatz merge %s`", ledger->done, ledger->rows, batch->output);
}

static bool all_left(batch *batch) {
  return ledger_part_count(&batch->ledger) >= (size_t)batch->together.count && !ledger_in_work(&batch->ledger);
}

/* Processes of one mpirun: the first writes when all rows have a record and every other one has begun and left again,
 * so that none comes too late and begins anew, or still holds a part; after half a minute it writes without them. */
static void wait_for_all(batch *batch) {
  enum { MOMENTS = 600 };
  const struct timespec moment = {.tv_nsec = 50000000};
  for (int i = 0; i < MOMENTS && !all_left(batch) && !interrupted(); i++) {
    nanosleep(&moment, NULL);
    if (ledger_refresh(&batch->ledger) != EXIT_OK) return;
  }
}

/* Processes of one mpirun other than the first: they tell and write nothing. */
static int leave(batch *batch) {
  bool over = ledger_is_over(&batch->ledger);
  row_claims_close(&batch->claims, over);
  ledger_close(&batch->ledger, false);
  return interrupted() ? interrupt_code() : EXIT_OK;
}

/* The rows are reported before anything is written: what became of them is known even when that fails. */
static int finish(ans_context *context, batch *batch) {
  batch_view view;
  int failed;
  bool none = false;
  if (batch->together.rank > 0) return leave(batch);
  if (batch->together.count > 1) wait_for_all(batch);
  batch_view_of(batch->task.start->problem, &batch->ledger, &view);
  view.table = &batch->table;
  if (divided(batch)) view.shard = batch->shard;
  view.json = batch->task.arguments->json;
  int told = batch_report(&view, &failed), written = EXIT_OK;
  bool writes = batch->output && !interrupted() && !divided(batch);
  if (writes && told == EXIT_OK) written = batch_write(context, &view, batch->output, &none);
  if (writes && told == EXIT_OK && written == EXIT_OK && !view.json) printf("wrote %s\n", batch->output);
  bool over = writes && (written == EXIT_OK || none) && !ledger_in_work(&batch->ledger);
  if (!writes) remark_unfinished(batch);
  row_claims_close(&batch->claims, over);
  ledger_close(&batch->ledger, over);
  if (told != EXIT_OK) return told;
  if (written != EXIT_OK && !none) return written;
  if (interrupted()) return interrupt_code();
  return failed != EXIT_OK ? failed : written;
}

static int run_batch(ans_context *context, batch *batch) {
  int code = open_ledger(context, batch);
  if (code != EXIT_OK) return code;
  if (batch->output && rows_left(batch) > 0)
    row_order_read(batch->output, &batch->table, batch->task.arguments->quiet || batch->together.rank > 0,
                   &batch->order);
  interrupt_begin();
  code = solve_rows(batch);
  if (code == EXIT_OK) return finish(context, batch);
  remark_unfinished(batch);
  return code;
}

/* Columns of these names say something else than a coefficient's value. */
static bool columns_fit(const ans_problem *problem, const char *path, const table *table) {
  static const char *const names[] = {"name", "structure"};
  size_t index;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (table_column(table, names[i]) >= 0 && ans_problem_find(problem, ANS_SYMBOLS, names[i], &index)) {
      complain("%s: the column %s gives a row's %s, but the problem also has a coefficient of that name, which a "
               "table cannot give; rename it",
               path, names[i], names[i]);
      return false;
    }
  return true;
}

int solve_many(ans_context *context, const arguments *arguments, const start *start, const char *path) {
  batch batch = {.task = {.arguments = arguments, .start = start, .table = &batch.table},
                 .claims = {.descriptor = -1},
                 .output = option_value(arguments, "output")};
  row_task *task = &batch.task;
  task->fields = batch.output != NULL;
  if (!shard_read(arguments, &batch.shard) || !solve_options(arguments, &task->options) ||
      !solve_rules(arguments, start, &task->options, &task->rules) ||
      !solve_grid(arguments, start->problem, task->sizes))
    return EXIT_USAGE;
  batch.together = option_value(arguments, "shard") ? (fellows_place){0, 1} : fellows_here();
  if (batch.together.count > 1) batch.shard.any = true;
  if ((divided(&batch) || batch.together.count > 1) && !batch.output) {
    complain("%s needs --output: the part files are written next to it",
             divided(&batch) ? "--shard" : "a run of several processes");
    return EXIT_USAGE;
  }
  task->options.threads = 1;
  if (!table_read(path, &batch.table)) return EXIT_FILE;
  int code = EXIT_USAGE;
  if (columns_fit(start->problem, path, &batch.table) && row_patterns_fit(task)) code = run_batch(context, &batch);
  row_claims_close(&batch.claims, false);
  row_order_drop(&batch.order);
  ledger_close(&batch.ledger, false);
  table_drop(&batch.table);
  return code;
}
