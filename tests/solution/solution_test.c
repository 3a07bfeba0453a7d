/* SPDX-License-Identifier: Apache-2.0
 *
 * Solutions: order of axes, comparison, and files that come back as they went or not at all.
 */
#include "check.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solution/field_figure.h"
#include "solution/field_map.h"
#include "solution/files.h"

static const char *two_fields =
    "coordinate x in [0, 1) periodic\ncoordinate t in [0, 2] time\nfield u, v\n"
    "equation u: u_t - u_xx - v = 0\nequation v: v_t + u*v_x = 0\ninitial u = sin(2*pi*x)\ninitial v = 1\n";
static const char *one_axis = "coordinate t in [0, 1] time\nfield u\nequation u: u_t + u = 0\ninitial u = 1\n";
static const char *three_axes =
    "coordinate x in [0, 1) periodic\ncoordinate y in [0, 1) periodic\ncoordinate t in [0, 1] time\nfield u\n"
    "equation u: u_t - u_xx - u_yy = 0\ninitial u = sin(2*pi*x)\n";

typedef struct scene {
  ans_context *context;
  ans_problem *problem;
  ans_solution *solution;
  char directory[32];
} scene;

/* values = 100 * field + 10 * (first index) + second index / 7 */
static void set_up(scene *s, const char *text, const int *sizes) {
  double nodes[3][8];
  const double *axes[3] = {nodes[0], nodes[1], nodes[2]};
  s->context = new_context();
  assert_ok(s->context, system_parse(s->context, "scene.pde", NULL, text, strlen(text), &s->problem));
  for (int i = 0; i < s->problem->coordinate_count; i++)
    for (int j = 0; j < sizes[i]; j++) nodes[i][j] = 0.1 * i + j / 3.0;
  assert_ok(s->context, solution_new(s->context, s->problem, sizes, axes, "made for a test", &s->solution));
  for (int f = 0; f < s->solution->field_count; f++)
    for (size_t i = 0; i < s->solution->point_count; i++)
      s->solution->values[f][i] = 100 * f + 10 * (double)(i / (size_t)sizes[s->problem->coordinate_count - 1]) +
                                  (double)(i % (size_t)sizes[s->problem->coordinate_count - 1]) / 7;
  snprintf(s->directory, sizeof s->directory, "/tmp/ansatz-test-XXXXXX");
  assert_non_null(mkdtemp(s->directory));
}

static void tear_down(scene *s) {
  solution_free(s->solution);
  system_free(s->problem);
  ans_context_free(s->context);
  DIR *folder = opendir(s->directory);
  for (struct dirent *entry; (entry = readdir(folder));) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", s->directory, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  closedir(folder);
  rmdir(s->directory);
}

static const char *path_in(scene *s, const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", s->directory, name);
  return path;
}

static int files_in(const scene *s) {
  int count = 0;
  DIR *folder = opendir(s->directory);
  for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static void time_comes_first(void **state) {
  (void)state;
  scene s;
  set_up(&s, three_axes, (const int[]){4, 3, 5});
  assert_int_equal(solution_coordinate(s.problem, 0), 2);
  assert_int_equal(solution_coordinate(s.problem, 1), 0);
  assert_int_equal(solution_coordinate(s.problem, 2), 1);
  assert_string_equal(s.solution->coordinate_names[0], "t");
  assert_string_equal(s.solution->coordinate_names[2], "y");
  assert_int_equal(s.solution->point_count, 60);
  assert_string_equal(s.solution->settings, "made for a test");
  assert_non_null(strstr(s.solution->problem_text, "u_xx"));
  tear_down(&s);
}

static void comparison_is_relative_and_wants_one_grid(void **state) {
  (void)state;
  scene a, b;
  set_up(&a, two_fields, (const int[]){3, 4});
  set_up(&b, two_fields, (const int[]){3, 4});
  double errors[2], size = 0;
  assert_ok(a.context, solution_compare(a.context, a.solution, b.solution, errors));
  assert_true(errors[0] == 0 && errors[1] == 0);
  for (int i = 0; i < 12; i++) size += pow(b.solution->values[1][i], 2);
  a.solution->values[1][5] += 3;
  assert_ok(a.context, solution_compare(a.context, a.solution, b.solution, errors));
  assert_near(errors[1], 3 / sqrt(size), 1e-15);
  ((double *)a.solution->axes[1])[2] += 1e-6;
  assert_int_equal(solution_compare(a.context, a.solution, b.solution, errors), ANS_ARGUMENT);
  assert_non_null(strstr(ans_context_diagnostic(a.context)->message, "along x"));
  tear_down(&a);
  tear_down(&b);
}

static void comparison_takes_fields_of_any_size(void **state) {
  (void)state;
  const double sizes[] = {1e-200, 1e-150, 1, 1e150, 1e200};
  scene a, b;
  set_up(&a, two_fields, (const int[]){3, 4});
  set_up(&b, two_fields, (const int[]){3, 4});
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    double errors[2];
    for (int i = 0; i < 12; i++) {
      b.solution->values[0][i] = sizes[s] * (1 + i);
      a.solution->values[0][i] = b.solution->values[0][i] * 1.25;
      b.solution->values[1][i] = 0;
      a.solution->values[1][i] = i == 5 ? sizes[s] : 0;
    }
    assert_ok(a.context, solution_compare(a.context, a.solution, b.solution, errors));
    assert_near(errors[0], 0.25, 1e-15);
    assert_near(errors[1] / sizes[s], sqrt(1.0 / 12), 1e-15); /* root mean square */
  }
  tear_down(&a);
  tear_down(&b);
}

static void netcdf_comes_back_the_same(void **state) {
  (void)state;
  scene s;
  set_up(&s, two_fields, (const int[]){3, 4});
  const char *path = path_in(&s, "fields.nc");
  ans_solution *back;
  assert_ok(s.context, solution_write(s.context, s.solution, path));
  assert_int_equal(files_in(&s), 1);
  assert_ok(s.context, netcdf_read(s.context, s.problem, path, &back));
  assert_string_equal(back->settings, s.solution->settings);
  for (int i = 0; i < 2; i++)
    assert_memory_equal(back->axes[i], s.solution->axes[i], (size_t)s.solution->axis_sizes[i] * sizeof(double));
  for (int f = 0; f < 2; f++) assert_memory_equal(back->values[f], s.solution->values[f], 12 * sizeof(double));
  solution_free(back);
  tear_down(&s);
}

/* Without syncing, which thousands of files would wait for. */
static void put_file(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

/* A damaged length may ask for more memory than there is; a sanitized build shall let that fail, too. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

/* In a process of its own, because the library underneath leaks what it had of a file that it refuses. */
static void damage_netcdf(scene *s, char *bytes, size_t size, const char *path) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return;
  }
  int refused = 0, wrong = 0;
  for (size_t place = 0; place < size; place += 5) {
    ans_solution *back;
    bytes[place] ^= (char)0xA5;
    put_file(path, bytes, size);
    bytes[place] ^= (char)0xA5;
    ans_status status = netcdf_read(s->context, s->problem, path, &back);
    wrong += status == ANS_OK ? back == NULL : status != ANS_FILE || back != NULL;
    refused += status != ANS_OK;
    solution_free(back);
  }
  _exit(wrong > 0 || refused < 100);
}

/* Truncated at every fifth byte it is refused; with every fifth byte damaged it is read or refused, never a crash. */
static void damaged_netcdf_is_refused(void **state) {
  (void)state;
  scene s;
  set_up(&s, two_fields, (const int[]){3, 4});
  char *bytes, damaged[512];
  size_t size;
  ans_solution *back;
  assert_ok(s.context, solution_write(s.context, s.solution, path_in(&s, "fields.nc")));
  assert_ok(s.context, file_read(s.context, path_in(&s, "fields.nc"), 1 << 20, &bytes, &size));
  snprintf(damaged, sizeof damaged, "%s", path_in(&s, "damaged.nc"));
  for (size_t cut = 0; cut < size; cut += 5) {
    put_file(damaged, bytes, cut);
    assert_int_equal(netcdf_read(s.context, s.problem, damaged, &back), ANS_FILE);
    assert_null(back);
  }
  damage_netcdf(&s, bytes, size, damaged);
  memory_give(bytes);
  scene other;
  set_up(&other, one_axis, (const int[]){5});
  assert_int_equal(netcdf_read(other.context, other.problem, path_in(&s, "fields.nc"), &back), ANS_FILE);
  tear_down(&other);
  tear_down(&s);
}

static void csv_is_a_table(void **state) {
  (void)state;
  scene s;
  set_up(&s, two_fields, (const int[]){2, 3});
  char *bytes;
  size_t size;
  assert_ok(s.context, solution_write(s.context, s.solution, path_in(&s, "fields.csv")));
  assert_ok(s.context, file_read(s.context, path_in(&s, "fields.csv"), 1 << 20, &bytes, &size));
  assert_int_equal(strncmp(bytes, "t,x,u,v\n0,0.1,0,1e+02\n", 22), 0);
  int lines = 0;
  for (const char *c = bytes; *c; c++) lines += *c == '\n';
  assert_int_equal(lines, 7);
  double t, x, u, v;
  assert_int_equal(sscanf(strstr(bytes, "\n0.3333"), "%lf,%lf,%lf,%lf", &t, &x, &u, &v), 4);
  assert_true(t == 1 / 3.0 && x == 0.1 && u == 10 && v == 110);
  memory_give(bytes);
  tear_down(&s);
}

/* The archive's outline; NumPy itself reads one in peers_test.py. */
static void npz_is_a_zip_of_arrays(void **state) {
  (void)state;
  scene s;
  set_up(&s, two_fields, (const int[]){3, 4});
  char *bytes;
  size_t size;
  assert_ok(s.context, solution_write(s.context, s.solution, path_in(&s, "fields.npz")));
  assert_ok(s.context, file_read(s.context, path_in(&s, "fields.npz"), 1 << 20, &bytes, &size));
  assert_memory_equal(bytes, "PK\x03\x04", 4);
  assert_memory_equal(bytes + size - 22, "PK\x05\x06", 4);
  assert_int_equal(bytes[size - 22 + 10], 6); /* t, x, u, v and two texts */
  assert_memory_equal(bytes + 30, "t.npy\x93NUMPY", 11);
  memory_give(bytes);
  tear_down(&s);
}

static void npz_comes_back_the_same(void **state) {
  (void)state;
  scene s;
  ans_solution *back;
  set_up(&s, two_fields, (const int[]){3, 4});
  s.solution->values[1][2] = (double)NAN;
  const char *path = path_in(&s, "fields.npz");
  assert_ok(s.context, solution_write(s.context, s.solution, path));
  assert_ok(s.context, solution_read(s.context, s.problem, path, &back));
  assert_int_equal(back->point_count, 12);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(back->axis_sizes[i], s.solution->axis_sizes[i]);
    assert_memory_equal(back->axes[i], s.solution->axes[i], (size_t)back->axis_sizes[i] * sizeof(double));
    assert_memory_equal(back->values[i], s.solution->values[i], 12 * sizeof(double));
  }
  solution_free(back);
  long taken = memory_taken();
  assert_ok(s.context, npz_read(s.context, s.problem, path, &back));
  solution_free(back);
  taken = memory_taken() - taken;
  for (long n = 1; n <= taken; n++) {
    memory_fail_after(n, false);
    ans_status status = npz_read(s.context, s.problem, path, &back);
    memory_fail_after(0, false);
    assert_int_equal(status, ANS_MEMORY);
    assert_null(back);
  }
  scene other;
  set_up(&other, three_axes, (const int[]){2, 2, 2});
  assert_int_equal(npz_read(other.context, other.problem, path, &back), ANS_FILE);
  assert_non_null(strstr(ans_context_diagnostic(other.context)->message, "no array 'y'"));
  assert_int_equal(solution_read(s.context, s.problem, "fields.csv", &back), ANS_ARGUMENT);
  tear_down(&other);
  tear_down(&s);
}

/* Cut off at every seventh byte it is refused; with every third byte damaged it is refused, or read as it was: the
 * checksum knows. */
static void damaged_npz_is_refused(void **state) {
  (void)state;
  scene s;
  char *bytes, damaged[512];
  size_t size;
  ans_solution *back;
  int refused = 0;
  set_up(&s, two_fields, (const int[]){3, 4});
  assert_ok(s.context, solution_write(s.context, s.solution, path_in(&s, "fields.npz")));
  assert_ok(s.context, file_read(s.context, path_in(&s, "fields.npz"), 1 << 20, &bytes, &size));
  snprintf(damaged, sizeof damaged, "%s", path_in(&s, "damaged.npz"));
  for (size_t cut = 0; cut < size; cut += 7) {
    put_file(damaged, bytes, cut);
    assert_int_equal(npz_read(s.context, s.problem, damaged, &back), ANS_FILE);
    assert_null(back);
  }
  for (size_t place = 0; place < size; place += 3) {
    bytes[place] ^= (char)0xA5;
    put_file(damaged, bytes, size);
    bytes[place] ^= (char)0xA5;
    ans_status status = npz_read(s.context, s.problem, damaged, &back);
    assert_int_equal(status == ANS_OK, back != NULL);
    assert_true(status == ANS_OK || status == ANS_FILE || status == ANS_UNSUPPORTED);
    refused += status != ANS_OK;
    for (size_t i = 0; back && i < 12; i++)
      assert_true(back->values[0][i] == s.solution->values[0][i] || isnan(back->values[0][i])); /* its name is gone */
    solution_free(back);
  }
  assert_true(refused > 200);
  memory_give(bytes);
  tear_down(&s);
}

static void nothing_is_left_when_writing_fails(void **state) {
  (void)state;
  scene s;
  set_up(&s, two_fields, (const int[]){3, 4});
  assert_int_equal(solution_write(s.context, s.solution, path_in(&s, "fields.txt")), ANS_ARGUMENT);
  assert_int_equal(solution_write(s.context, s.solution, path_in(&s, "no/such/folder.nc")), ANS_FILE);
  assert_int_equal(solution_write(s.context, s.solution, path_in(&s, "no/such/folder.csv")), ANS_FILE);
  const char *names[] = {"a.nc", "a.npz", "a.csv"};
  assert_int_equal(files_in(&s), 0);
  for (int i = 0; i < 3; i++)
    for (long n = 1; n < 4; n++) {
      memory_fail_after(n, true);
      ans_status status = solution_write(s.context, s.solution, path_in(&s, names[i]));
      memory_fail_after(0, false);
      assert_true(status == ANS_OK || status == ANS_MEMORY);
      assert_int_equal(files_in(&s), status == ANS_OK);
      unlink(path_in(&s, names[i]));
    }
  tear_down(&s);
}

static size_t size_of(scene *s, const char *name) {
  char *bytes;
  size_t size;
  assert_ok(s->context, file_read(s->context, path_in(s, name), 1 << 24, &bytes, &size));
  memory_give(bytes);
  return size;
}

static void figures_are_drawn_for_every_number_of_axes(void **state) {
  (void)state;
  const char *texts[] = {one_axis, two_fields, three_axes}, *names[] = {"f.png", "f.svg", "f.pdf"};
  for (int i = 0; i < 3; i++) {
    scene s;
    set_up(&s, texts[i], (const int[]){5, 4, 3});
    assert_ok(s.context, field_figure_draw(s.context, s.solution,
                                           (ans_figure){.title = "a title", .path = path_in(&s, names[i])}));
    assert_true(size_of(&s, names[i]) > 1000);
    assert_ok(s.context, comparison_figure_draw(s.context, s.solution, s.solution,
                                                (ans_figure){.title = "a title", .path = path_in(&s, names[i])}));
    assert_int_equal(files_in(&s), 1);
    assert_int_not_equal(
        field_figure_draw(s.context, s.solution, (ans_figure){.title = "a title", .path = path_in(&s, "f.bmp")}),
        ANS_OK);
    assert_int_equal(files_in(&s), 1);
    tear_down(&s);
  }
}

static void a_figure_names_the_slice_it_shows(void **state) {
  (void)state;
  scene s;
  set_up(&s, three_axes, (const int[]){5, 4, 3});
  assert_ok(s.context,
            field_figure_draw(s.context, s.solution, (ans_figure){.title = "a title", .path = path_in(&s, "1.svg")}));
  ((double *)(uintptr_t)s.solution->axes[0])[4] = 2;
  assert_ok(s.context,
            field_figure_draw(s.context, s.solution, (ans_figure){.title = "a title", .path = path_in(&s, "2.svg")}));
  assert_true(size_of(&s, "1.svg") > size_of(&s, "2.svg")); /* "t = 1.333" has more letters than "t = 2" */
  tear_down(&s);
}

static void the_rainbow_is_drawn_only_when_asked_for(void **state) {
  (void)state;
  const double values[] = {-1, 1, 2, 3}, other[] = {0, 0, 0, 0}, nodes[] = {0, 1};
  field_map map = {values, NULL, 2, 2, nodes, nodes, "t", "x"};
  assert_int_equal(field_map_scale(&map, NULL, false).colours, COLOUR_DIVERGING);
  assert_int_equal(field_map_scale(&map, NULL, true).colours, COLOUR_RAINBOW);
  map.subtract = other;
  assert_int_equal(field_map_scale(&map, NULL, false).colours, COLOUR_HEAT);
  assert_int_equal(field_map_scale(&map, NULL, true).colours, COLOUR_RAINBOW);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_figure_names_the_slice_it_shows),
      cmocka_unit_test(the_rainbow_is_drawn_only_when_asked_for),
      cmocka_unit_test(time_comes_first),
      cmocka_unit_test(comparison_is_relative_and_wants_one_grid),
      cmocka_unit_test(comparison_takes_fields_of_any_size),
      cmocka_unit_test(netcdf_comes_back_the_same),
      cmocka_unit_test(damaged_netcdf_is_refused),
      cmocka_unit_test(csv_is_a_table),
      cmocka_unit_test(npz_is_a_zip_of_arrays),
      cmocka_unit_test(npz_comes_back_the_same),
      cmocka_unit_test(damaged_npz_is_refused),
      cmocka_unit_test(nothing_is_left_when_writing_fails),
      cmocka_unit_test(figures_are_drawn_for_every_number_of_axes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
