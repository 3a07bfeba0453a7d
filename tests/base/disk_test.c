/* SPDX-License-Identifier: Apache-2.0
 *
 * disk_test.c - files written through a disk that fails.
 *
 * For every kind of file: the n-th call of open, write, fsync, rename, unlink and close fails, a write is torn, or the
 * process ends there. Whatever happens, the target holds its old bytes or the whole new ones, a failure is a status and
 * a sentence, and what is left beside the target is gone after the next file is written there.
 */
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ansatz_tools.h"
#include "base/disk.h"
#include "base/file.h"

/* ---- A disk that fails ------------------------------------------------------------------------------------ */

typedef enum fault { FAILS, TORN, ENDS } fault;

static struct {
  int until; /* the fault happens at this call; 0: never */
  fault fault;
  char log[512];
} plan;

static disk_calls real;

/* True when the call must fail. */
static bool strikes(const char *call) {
  size_t length = strlen(plan.log);
  snprintf(plan.log + length, sizeof plan.log - length, "%s%s", length ? " " : "", call);
  if (plan.until == 0 || --plan.until > 0) return false;
  if (plan.fault == ENDS) _exit(77);
  errno = ENOSPC;
  return true;
}

static int failing_open(const char *path, int flags, mode_t mode) {
  const char *call = flags & O_DIRECTORY ? "folder" : flags & O_EXCL ? "create" : "open";
  return strikes(call) ? -1 : real.open(path, flags, mode);
}
static ssize_t failing_write(int descriptor, const void *bytes, size_t size) {
  bool torn = plan.until == 1 && plan.fault != FAILS && size > 1;
  if (torn) size = (size_t)real.write(descriptor, bytes, size / 2);
  if (!strikes("write")) return real.write(descriptor, bytes, size);
  if (!torn) return -1;
  plan.until = 1; /* half a write, then no room */
  return (ssize_t)size;
}
static int failing_fsync(int descriptor) { return strikes("fsync") ? -1 : real.fsync(descriptor); }
static int failing_rename(const char *from, const char *to) { return strikes("rename") ? -1 : real.rename(from, to); }
static int failing_unlink(const char *path) { return strikes("unlink") ? -1 : real.unlink(path); }
static int failing_close(int descriptor) {
  bool fails = strikes("close");
  return real.close(descriptor) != 0 || fails ? -1 : 0;
}

static void begin_faults(int until, fault fault) {
  real = disk;
  plan.until = until;
  plan.fault = fault;
  plan.log[0] = '\0';
  disk = (disk_calls){failing_open, failing_write, failing_fsync, failing_rename, failing_unlink, failing_close};
}
static void end_faults(void) { disk = real; }

/* ---- Kinds of files --------------------------------------------------------------------------------------- */

typedef struct world {
  ans_context *context;
  ans_problem *problem;
  ans_instance *instance;
  ans_training *training;
  ans_model *model;
  ans_solver *solver;
  ans_solution *solution;
} world;

static ans_status write_plain(world *w, const char *path) { return ans_file_write(w->context, path, "new bytes", 9); }
static ans_status write_model(world *w, const char *path) { return ans_model_write(w->context, w->model, path); }
static ans_status write_checkpoint(world *w, const char *path) {
  return ans_training_save(w->context, w->training, path);
}
static ans_status write_solver(world *w, const char *path) { return ans_solver_save(w->context, w->solver, path); }
static ans_status write_solution(world *w, const char *path) {
  return ans_solution_write(w->context, w->solution, path);
}
static ans_status write_figure(world *w, const char *path) {
  static const double x[] = {1, 2}, y[] = {3, 4};
  ans_series series = {.label = "", .x = x, .y = y, .count = 2, .line = true};
  ans_plot plot = {.title = "", .x_title = "x", .y_title = "y", .series_count = 1, .series = &series};
  return ans_plot_draw(w->context, &plot, path);
}

/* Figures are not the same bytes each time they are drawn (names inside are numbered on); a whole one has its end. */
static const struct {
  const char *name;
  ans_status (*write)(world *w, const char *path);
  const char *end;
} kinds[] = {{"plain.txt", write_plain, NULL},
             {"model.safetensors", write_model, NULL},
             {"run.checkpoint", write_checkpoint, NULL},
             {"found.solver", write_solver, NULL},
             {"u.nc", write_solution, NULL},
             {"u.npz", write_solution, NULL},
             {"u.csv", write_solution, NULL},
             {"plot.svg", write_figure, "</svg>\n"},
             {"plot.pdf", write_figure, "%%EOF\n"},
             {"plot.png", write_figure, "IEND\xae\x42\x60\x82"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char family[] = "coordinate x in [0, 1] periodic\ncoordinate t in [0, 1] time\nfield u\n"
                             "equation u: u_t + u_x = 0\ninitial u = sin(2*pi*x)\n"
                             "network width 4, layers 1\ntrain steps 2, points 8\n";

static world make_world(void) {
  world w = {.context = new_context()};
  ans_choice choice = ANS_CHOICE_DEFAULT;
  assert_ok(w.context, ans_problem_parse(w.context, "small", family, strlen(family), &w.problem));
  assert_ok(w.context, ans_instance_new(w.context, w.problem, choice, &w.instance));
  assert_ok(w.context, ans_training_begin(w.context, w.problem, NULL, &w.training));
  assert_ok(w.context, ans_training_step(w.context, w.training, 2));
  assert_ok(w.context, ans_training_model(w.context, w.training, &w.model));
  assert_ok(w.context, ans_solver_begin(w.context, w.model, w.instance, NULL, &w.solver));
  static const size_t sizes[] = {3, 4};
  assert_ok(w.context, ans_solver_solution(w.context, w.solver, sizes, &w.solution));
  return w;
}

static void free_world(world *w) {
  ans_solution_free(w->solution);
  ans_solver_free(w->solver);
  ans_model_free(w->model);
  ans_training_free(w->training);
  ans_instance_free(w->instance);
  ans_problem_free(w->problem);
  ans_context_free(w->context);
}

/* ---- What is there ---------------------------------------------------------------------------------------- */

typedef struct content {
  char *bytes;
  size_t size;
} content;

static content content_of(world *w, const char *path) {
  content content;
  assert_ok(w->context, file_read(w->context, path, 1 << 24, &content.bytes, &content.size));
  return content;
}
static bool same(content a, content b) { return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0; }

static bool is_whole(int kind, content now, content after) {
  if (!kinds[kind].end) return same(now, after);
  size_t length = strlen(kinds[kind].end);
  return now.size > length && memcmp(now.bytes + now.size - length, kinds[kind].end, length) == 0;
}

static int files_in(const char *folder) {
  DIR *directory = opendir(folder);
  int count = 0;
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory));) count += entry->d_name[0] != '.' || entry->d_name[1] == 'a';
  closedir(directory);
  return count;
}

typedef struct place {
  char folder[32], path[96];
} place;

static place make_place(const char *name) {
  place place = {.folder = "/tmp/ansatz-disk-XXXXXX"};
  assert_non_null(mkdtemp(place.folder));
  snprintf(place.path, sizeof place.path, "%s/%s", place.folder, name);
  return place;
}
static void remove_place(place *place) {
  assert_int_equal(unlink(place->path), 0);
  assert_int_equal(rmdir(place->folder), 0); /* nothing else was left there */
}

/* ---- Tests ------------------------------------------------------------------------------------------------ */

static void the_order_of_calls_survives_a_crash(void **state) {
  (void)state;
  ans_context *context = new_context();
  place place = make_place("file");
  for (int i = 0; i < 2; i++) { /* a new file, then one that is replaced */
    begin_faults(0, FAILS);
    assert_ok(context, file_write(context, place.path, "bytes", 5));
    end_faults();
    assert_string_equal(plan.log, "create write fsync close rename folder fsync close");
  }
  remove_place(&place);
  ans_context_free(context);
}

/* One fault at the n-th call. Returns false when the file was written before it came to that. */
static bool fails_cleanly(world *w, int kind, int n, fault fault, place *place, content before, content after) {
  begin_faults(n, fault);
  ans_status status = kinds[kind].write(w, place->path);
  bool came = plan.until <= 0;
  end_faults();
  content now = content_of(w, place->path);
  bool whole = is_whole(kind, now, after);
  if (!whole && !same(now, before)) print_error("%s, call %d, fault %d\n", kinds[kind].name, n, (int)fault);
  assert_true(status == ANS_OK ? whole : same(now, before));
  if (status != ANS_OK) {
    assert_int_equal(status, ANS_FILE);
    assert_non_null(strstr(ans_context_diagnostic(w->context)->message, strerror(ENOSPC)));
  }
  assert_int_equal(files_in(place->folder), 1);
  ans_free(now.bytes);
  return came;
}

static bool ends_cleanly(world *w, int kind, int n, place *place, content before, content after) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    begin_faults(n, ENDS);
    ans_status status = kinds[kind].write(w, place->path);
    _exit(status == ANS_OK ? 0 : 1);
  }
  int how = 0;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFEXITED(how) && (WEXITSTATUS(how) == 77 || WEXITSTATUS(how) == 0));
  content now = content_of(w, place->path);
  assert_true(same(now, before) || is_whole(kind, now, after));
  ans_free(now.bytes);
  assert_ok(w->context, kinds[kind].write(w, place->path)); /* also removes what was left */
  assert_int_equal(files_in(place->folder), 1);
  return WEXITSTATUS(how) == 77;
}

static void set_old(world *w, place *place) { assert_ok(w->context, file_write(w->context, place->path, "old", 3)); }

static void every_kind_survives_every_fault(void **state) {
  (void)state;
  world w = make_world();
  for (int k = 0; k < KINDS; k++) {
    place place = make_place(kinds[k].name);
    assert_ok(w.context, kinds[k].write(&w, place.path));
    content before = {.bytes = "old", .size = 3}, after = content_of(&w, place.path);
    int calls = 0;
    bool more = true;
    for (int n = 1; more; n++) {
      more = false;
      for (int fault = FAILS; fault <= TORN; fault++) {
        set_old(&w, &place);
        more = fails_cleanly(&w, k, n, (enum fault)fault, &place, before, after) || more;
      }
      set_old(&w, &place);
      more = ends_cleanly(&w, k, n, &place, before, after) || more;
      calls += more;
    }
    assert_true(calls >= 8);
    ans_free(after.bytes);
    remove_place(&place);
  }
  free_world(&w);
}

static void a_living_owners_file_is_left_alone(void **state) {
  (void)state;
  static const char *const names[] = {".ansatz-aaaaaaaa", ".ansatz-bbbbbbbb", ".ansatz-notours1", ".ansatz-cccccccc"};
  ans_context *context = new_context();
  place place = make_place("file");
  char paths[4][96];
  for (int i = 0; i < 4; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/%s", place.folder, names[i]);
    if (i < 3) assert_int_equal(close(open(paths[i], O_CREAT | O_WRONLY, 0600)), 0);
  }
  assert_int_equal(symlink("file", paths[3]), 0);
  int held = open(paths[0], O_WRONLY);
  assert_int_equal(flock(held, LOCK_EX | LOCK_NB), 0);
  assert_ok(context, file_write(context, place.path, "x", 1));
  struct stat there;
  assert_int_equal(lstat(paths[0], &there), 0);  /* at work */
  assert_int_equal(lstat(paths[1], &there), -1); /* left behind */
  assert_int_equal(lstat(paths[2], &there), 0);  /* no name of ours */
  assert_int_equal(lstat(paths[3], &there), 0);  /* no file */
  close(held);
  assert_ok(context, file_write(context, place.path, "x", 1));
  assert_int_equal(lstat(paths[0], &there), -1);
  assert_true(unlink(paths[2]) == 0 && unlink(paths[3]) == 0);
  remove_place(&place);
  ans_context_free(context);
}

/* Many processes at one target: each write succeeds, whatever the others' sweeps do. */
static void writers_do_not_disturb_each_other(void **state) {
  (void)state;
  enum { WRITERS = 4, TIMES = 50 };
  place place = make_place("file");
  pid_t children[WRITERS];
  for (int i = 0; i < WRITERS; i++) {
    children[i] = fork();
    assert_true(children[i] >= 0);
    if (children[i] > 0) continue;
    ans_context *context = new_context();
    for (int k = 0; k < TIMES; k++)
      if (file_write(context, place.path, "bytes", 5) != ANS_OK) _exit(1);
    _exit(0);
  }
  for (int i = 0; i < WRITERS; i++) {
    int how = -1;
    assert_int_equal(waitpid(children[i], &how, 0), children[i]);
    assert_int_equal(how, 0);
  }
  assert_int_equal(files_in(place.folder), 1);
  remove_place(&place);
}

static void permissions_stay(void **state) {
  (void)state;
  static const mode_t modes[] = {0600, 0640, 0664, 0755, 0620};
  ans_context *context = new_context();
  place place = make_place("file");
  struct stat there;
  assert_ok(context, file_write(context, place.path, "x", 1));
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    assert_int_equal(chmod(place.path, modes[i]), 0);
    assert_ok(context, file_write(context, place.path, "y", 1));
    assert_int_equal(stat(place.path, &there), 0);
    assert_int_equal(there.st_mode & 07777, modes[i]);
  }
  if (geteuid() == 0) {
    assert_int_equal(chown(place.path, 1234, 4321), 0);
    assert_ok(context, file_write(context, place.path, "y", 1));
    assert_int_equal(stat(place.path, &there), 0);
    assert_true(there.st_uid == 1234 && there.st_gid == 4321);
  }
  remove_place(&place);
  ans_context_free(context);
}

static void a_read_only_file_stays(void **state) {
  (void)state;
  world w = {.context = new_context()};
  place place = make_place("file");
  set_old(&w, &place);
  assert_int_equal(chmod(place.path, 0444), 0);
  assert_int_equal(file_write(w.context, place.path, "new", 3), ANS_FILE);
  assert_non_null(strstr(ans_context_diagnostic(w.context)->message, "read-only"));
  content now = content_of(&w, place.path);
  assert_true(same(now, (content){"old", 3}));
  ans_free(now.bytes);
  remove_place(&place);
  ans_context_free(w.context);
}

/* Names that are taken: the first `taken` of them, or those swept away before they were held. */
typedef struct name_counts {
  int taken, swept, asked;
} name_counts;
static name_counts names;

static int crowded_open(const char *path, int flags, mode_t mode) {
  if (!(flags & O_EXCL)) return real.open(path, flags, mode);
  errno = EEXIST;
  if (++names.asked <= names.taken) return -1;
  int descriptor = real.open(path, flags, mode);
  if (names.asked <= names.taken + names.swept) assert_int_equal(unlink(path), 0);
  return descriptor;
}

static ans_status write_crowded(ans_context *context, const char *path, int taken, int swept) {
  names.taken = taken, names.swept = swept, names.asked = 0;
  real = disk;
  disk.open = crowded_open;
  ans_status status = file_write(context, path, "new", 3);
  end_faults();
  return status;
}

static void a_name_that_is_taken_is_not_used(void **state) {
  (void)state;
  world w = {.context = new_context()};
  place place = make_place("file");
  set_old(&w, &place);
  assert_int_equal(write_crowded(w.context, place.path, 1000, 0), ANS_FILE); /* all of them, and it ends */
  assert_non_null(strstr(ans_context_diagnostic(w.context)->message, strerror(EEXIST)));
  content now = content_of(&w, place.path);
  assert_true(same(now, (content){"old", 3}));
  ans_free(now.bytes);
  assert_ok(w.context, write_crowded(w.context, place.path, 3, 2));
  assert_int_equal(names.asked, 6);
  now = content_of(&w, place.path);
  assert_true(same(now, (content){"new", 3}));
  ans_free(now.bytes);
  remove_place(&place);
  ans_context_free(w.context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_of_calls_survives_a_crash),
      cmocka_unit_test(every_kind_survives_every_fault),
      cmocka_unit_test(a_living_owners_file_is_left_alone),
      cmocka_unit_test(writers_do_not_disturb_each_other),
      cmocka_unit_test(permissions_stay),
      cmocka_unit_test(a_read_only_file_stays),
      cmocka_unit_test(a_name_that_is_taken_is_not_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
