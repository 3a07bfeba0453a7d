/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/available.h"
#include "base/base.h"
#include "base/number.h"

/* The published test vectors of Philox 4x32-10 (Random123): counter and key all zero, and all ones. */
static void random_matches_the_published_vectors(void **state) {
  (void)state;
  random_stream zero = {.used = 4};
  assert_int_equal(random_bits(&zero), 0x6627e8d5u);
  assert_int_equal(random_bits(&zero), 0xe169c58du);
  assert_int_equal(random_bits(&zero), 0xbc57ac4cu);
  assert_int_equal(random_bits(&zero), 0x9b00dbd8u);
  random_stream ones = {.key = {~0u, ~0u}, .counter = {~0u, ~0u, ~0u, ~0u}, .used = 4};
  assert_int_equal(random_bits(&ones), 0x408f276du);
}

static void random_streams_are_independent_of_order(void **state) {
  (void)state;
  random_stream a = random_open(101, RANDOM_POINTS, 7, 0), b = random_open(101, RANDOM_POINTS, 7, 0);
  random_stream other = random_open(101, RANDOM_POINTS, 8, 0);
  double sum = 0;
  for (int i = 0; i < 10000; i++) {
    double value = random_uniform(&a);
    assert_true(value > 0 && value < 1);
    assert_true(value == random_uniform(&b));
    assert_true(value != random_uniform(&other));
    sum += value;
  }
  assert_near(sum / 10000, 0.5, 0.01);
}

static void random_below_covers_its_range_evenly(void **state) {
  (void)state;
  random_stream stream = random_open(1, RANDOM_TEST, 0, 0);
  int counts[5] = {0};
  for (int i = 0; i < 50000; i++) counts[random_below(&stream, 5)]++;
  for (int i = 0; i < 5; i++) assert_near(counts[i], 10000, 400);
}

/* Every owner frees it once; the memory stays until the last has. */
/* Mean, variance and the fourth moment, each within four standard deviations of its estimate. */
static void normal_numbers_have_their_moments(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  double mean = 0, square = 0, fourth = 0;
  random_stream stream = random_open(5, RANDOM_TEST, 0, 0);
  for (int i = 0; i < COUNT; i++) {
    double x = random_normal(&stream);
    mean += x / COUNT;
    square += x * x / COUNT;
    fourth += x * x * x * x / COUNT;
  }
  assert_near(mean, 0, 4 / sqrt(COUNT));
  assert_near(square, 1, 4 * sqrt(2.0 / COUNT));
  assert_near(fourth, 3, 4 * sqrt(96.0 / COUNT));
}

static void a_shared_arena_lives_until_its_last_owner(void **state) {
  (void)state;
  ans_context *context = new_context();
  arena *arena;
  assert_ok(context, arena_new(context, &arena));
  char *text = arena_string(arena, "kept", 4);
  arena_share(arena);
  arena_share(arena);
  arena_free(arena);
  arena_free(arena);
  assert_string_equal(text, "kept"); /* under the sanitizers, freed memory would be found here */
  assert_non_null(arena_take(arena, 100000));
  arena_free(arena);
  ans_context_free(context);
}

/* Filled alike again, it takes no memory, and its pieces are zero. */
static void a_cleared_arena_is_used_again(void **state) {
  (void)state;
  ans_context *context = new_context();
  arena *arena;
  assert_ok(context, arena_new(context, &arena));
  arena_clear(arena); /* empty */
  long taken = 0;
  for (int round = 0; round < 5; round++) {
    if (round == 2) taken = memory_taken();
    for (int i = 0; i < 40; i++) {
      unsigned char *piece = arena_take(arena, 3000);
      assert_non_null(piece);
      for (int k = 0; k < 3000; k++) assert_int_equal(piece[k], 0);
      memset(piece, 255, 3000);
    }
    arena_clear(arena);
  }
  assert_int_equal(memory_taken(), taken);
  arena_free(arena);
  ans_context_free(context);
}

static void arena_gives_zeroed_aligned_pieces(void **state) {
  (void)state;
  ans_context *context = new_context();
  arena *arena;
  assert_ok(context, arena_new(context, &arena));
  for (size_t bytes = 0; bytes < 40000; bytes += bytes / 3 + 1) {
    unsigned char *piece = arena_take(arena, bytes);
    assert_non_null(piece);
    assert_int_equal((uintptr_t)piece % (bytes >= 64 ? 64 : 16), 0);
    for (size_t i = 0; i < bytes; i++) assert_int_equal(piece[i], 0);
    memset(piece, 255, bytes);
  }
  for (size_t bytes = 48; bytes < 300; bytes += 16) /* after pieces of any size */
    assert_int_equal((uintptr_t)arena_take(arena, bytes) % (bytes >= 64 ? 64 : 16), 0);
  assert_null(arena_array(arena, double, SIZE_MAX / 4));
  arena_free(arena);
  ans_context_free(context);
}

static void failing_memory_is_reported(void **state) {
  (void)state;
  ans_context *context = new_context();
  arena *arena = NULL;
  memory_fail_after(1, false);
  assert_int_equal(arena_new(context, &arena), ANS_MEMORY);
  assert_null(arena);
  assert_ok(context, arena_new(context, &arena));
  memory_fail_after(1, true);
  assert_null(arena_take(arena, 1000000));
  assert_null(arena_take(arena, 1000000));
  memory_fail_after(0, false);
  arena_free(arena);
  ans_context_free(context);
}

static void numbers_print_shortest_and_read_back(void **state) {
  (void)state;
  ans_context *context = new_context();
  const double numbers[] = {0.1, 1e20, 1.0 / 3.0, -0.0, 5e-324, 0.35};
  const char *expected[] = {"0.1", "1e+20", "0.3333333333333333", "-0", "5e-324", "0.35"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    buffer text = {0};
    buffer_number(&text, numbers[i]);
    char *finished;
    assert_ok(context, buffer_finish(context, &text, &finished));
    assert_string_equal(finished, expected[i]);
    ans_free(finished);
  }
  ans_context_free(context);
}

/* A locale with a decimal comma, made here; false where the system cannot. */
static bool enter_comma_locale(const char *directory) {
  char command[256];
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 --no-archive %s/de_DE.UTF-8 >%s/log 2>&1", directory,
           directory);
  return system(command) == 0 && setenv("LOCPATH", directory, 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8") &&
         strcmp(localeconv()->decimal_point, ",") == 0;
}

/* Files have a decimal point whatever the user's locale says, and that stays as it is. */
static void numbers_do_not_follow_the_locale(void **state) {
  (void)state;
  char directory[] = "/tmp/ansatz-base-XXXXXX", command[64], own[16];
  assert_non_null(mkdtemp(directory));
  bool comma = enter_comma_locale(directory);
  buffer text = {0};
  for (int i = 0; comma && i < 3; i++) {
    char *end;
    buffer_number(&text, 0.5);
    assert_near(number_read("0.25,5", &end), 0.25, 0);
    assert_string_equal(end, ",5");
    snprintf(own, sizeof own, "%g", 0.5);
    assert_string_equal(own, "0,5");
  }
  if (comma) assert_string_equal(text.text, "0.50.50.5");
  buffer_drop(&text);
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  snprintf(command, sizeof command, "rm -r %s", directory);
  assert_int_equal(system(command), 0);
  if (!comma) skip();
}

static void files_are_written_whole_or_not_at_all(void **state) {
  (void)state;
  ans_context *context = new_context();
  char directory[] = "/tmp/ansatz-base-XXXXXX", path[64];
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/file", directory);
  assert_ok(context, file_write(context, path, "old", 3));
  assert_ok(context, file_write(context, path, "newer", 5));
  char *bytes;
  size_t size;
  assert_ok(context, file_read(context, path, 100, &bytes, &size));
  assert_int_equal(size, 5);
  assert_string_equal(bytes, "newer");
  memory_give(bytes);
  assert_int_equal(file_read(context, path, 4, &bytes, &size), ANS_FILE);
  assert_null(bytes);
  assert_int_equal(unlink(path), 0);
  char longest[sizeof directory + 1 + NAME_MAX];
  snprintf(longest, sizeof longest, "%s/%0*d", directory, NAME_MAX, 0);
  assert_ok(context, file_write(context, longest, "x", 1)); /* the temporary's name is no longer than the file's */
  assert_int_equal(unlink(longest), 0);
  assert_int_equal(rmdir(directory), 0); /* no temporary is left behind */
  assert_int_equal(file_write(context, path, "x", 1), ANS_FILE);
  assert_non_null(strstr(ans_context_diagnostic(context)->message, "cannot write"));
  ans_context_free(context);
}

/* Stands in for the C library's: the mask belongs to the whole process, so a library must leave it alone. */
static int masks_set;
mode_t umask(mode_t mask) {
  masks_set++;
  return mask;
}

static void new_files_have_the_permissions_of_the_process(void **state) {
  (void)state;
  ans_context *context = new_context();
  char directory[] = "/tmp/ansatz-base-XXXXXX", path[64], plain[64];
  struct stat written, opened;
  assert_non_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/file", directory);
  snprintf(plain, sizeof plain, "%s/plain", directory);
  assert_ok(context, file_write(context, path, "x", 1));
  assert_int_equal(close(open(plain, O_WRONLY | O_CREAT, 0666)), 0);
  assert_true(stat(path, &written) == 0 && stat(plain, &opened) == 0);
  assert_int_equal(written.st_mode, opened.st_mode);
  assert_int_equal(masks_set, 0);
  assert_true(unlink(path) == 0 && unlink(plain) == 0 && rmdir(directory) == 0);
  ans_context_free(context);
}

static void check_content(ans_context *context, const char *path, const char *expected) {
  char *bytes;
  size_t size;
  assert_ok(context, file_read(context, path, 100, &bytes, &size));
  assert_string_equal(bytes, expected);
  memory_give(bytes);
}

static bool is_kind(const char *path, mode_t kind) {
  struct stat there;
  assert_int_equal(lstat(path, &there), 0);
  return (there.st_mode & S_IFMT) == kind;
}

static void links_are_followed(void **state) {
  (void)state;
  ans_context *context = new_context();
  char directory[] = "/tmp/ansatz-base-XXXXXX", link[64], chain[64], target[64], path[80];
  assert_non_null(mkdtemp(directory));
  snprintf(link, sizeof link, "%s/link", directory);
  snprintf(chain, sizeof chain, "%s/chain", directory);
  snprintf(target, sizeof target, "%s/target", directory);
  assert_true(symlink("target", link) == 0 && symlink(link, chain) == 0);
  assert_ok(context, file_write(context, chain, "first", 5)); /* the target is not there yet */
  check_content(context, target, "first");
  assert_ok(context, file_write(context, link, "second", 6));
  check_content(context, target, "second");
  assert_true(is_kind(link, S_IFLNK) && is_kind(chain, S_IFLNK) && is_kind(target, S_IFREG));
  assert_true(unlink(link) == 0 && symlink("chain", link) == 0);
  assert_int_equal(file_write(context, link, "x", 1), ANS_FILE);
  snprintf(path, sizeof path, "cannot write %s: %s", link, strerror(ELOOP));
  assert_string_equal(ans_context_diagnostic(context)->message, path);
  assert_true(unlink(link) == 0 && unlink(chain) == 0 && unlink(target) == 0 && rmdir(directory) == 0);
  ans_context_free(context);
}

static void what_is_no_file_is_not_replaced(void **state) {
  (void)state;
  ans_context *context = new_context();
  char directory[] = "/tmp/ansatz-base-XXXXXX", pipe[64], message[80], bytes[8] = "";
  assert_non_null(mkdtemp(directory));
  snprintf(pipe, sizeof pipe, "%s/pipe", directory);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  int reader = open(pipe, O_RDONLY | O_NONBLOCK);
  assert_true(reader >= 0);
  assert_ok(context, file_write(context, pipe, "through", 7));
  assert_int_equal(read(reader, bytes, 7), 7);
  assert_string_equal(bytes, "through");
  assert_true(is_kind(pipe, S_IFIFO));
  assert_true(close(reader) == 0 && unlink(pipe) == 0);
  assert_int_equal(file_write(context, directory, "x", 1), ANS_FILE);
  snprintf(message, sizeof message, "cannot write %s: %s", directory, strerror(EISDIR));
  assert_string_equal(ans_context_diagnostic(context)->message, message);
  assert_int_equal(rmdir(directory), 0);
  ans_context_free(context);
}

/* What a request of so many bytes gets when the system reports `text`. */
static bool is_granted(const char *text, size_t bytes) {
  char path[] = "/tmp/ansatz-memory-XXXXXX";
  const char *usual = memory_report;
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0);
  memory_report = path;
  void *memory = memory_take(bytes);
  memory_report = usual;
  assert_int_equal(unlink(path), 0);
  memory_give(memory);
  return memory != NULL;
}

static void more_memory_than_there_is_is_refused(void **state) {
  (void)state;
  const char *report = "MemTotal:  90000000 kB\nMemFree:   90000000 kB\nMemAvailable:      32768 kB\nBuffers:  9 kB\n";
  assert_true(is_granted(report, (size_t)30 << 20)); /* 15 of 16 parts of 32 MB */
  assert_false(is_granted(report, ((size_t)30 << 20) + 1));
  assert_true(is_granted("MemAvailable: 0 kB\n", LARGE_REQUEST - 1));
  assert_false(is_granted("MemAvailable: 0 kB\n", LARGE_REQUEST));
  assert_true(is_granted("MemFree: 0 kB\n", LARGE_REQUEST));
  assert_true(is_granted("", LARGE_REQUEST));
  assert_true(is_granted("MemAvailable: 99999999999999999999 kB\n", LARGE_REQUEST));
  assert_true(is_granted("MemAvailable: 18014398509481984 kB\n", LARGE_REQUEST)); /* 2^64 bytes */
  assert_true(is_granted("MemAvailable:32768 kB\n", (size_t)30 << 20));           /* without a blank */
  memory_report = "/nowhere/at/all";
  void *memory = memory_take(LARGE_REQUEST);
  memory_report = "/proc/meminfo";
  assert_non_null(memory);
  memory_give(memory);
}

static void failures_carry_their_place(void **state) {
  (void)state;
  ans_context *context = new_context();
  text_place place = {"a.pde", "first\nsecond line\nthird", 2, 8, 4};
  assert_int_equal(context_fail_at(context, ANS_SYNTAX, place, "expected %s", "a field"), ANS_SYNTAX);
  const ans_diagnostic *diagnostic = ans_context_diagnostic(context);
  assert_string_equal(diagnostic->message, "expected a field");
  assert_string_equal(diagnostic->file, "a.pde");
  assert_string_equal(diagnostic->source, "second line");
  assert_int_equal(diagnostic->line, 2);
  assert_int_equal(diagnostic->column, 8);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_matches_the_published_vectors),
      cmocka_unit_test(random_streams_are_independent_of_order),
      cmocka_unit_test(random_below_covers_its_range_evenly),
      cmocka_unit_test(normal_numbers_have_their_moments),
      cmocka_unit_test(arena_gives_zeroed_aligned_pieces),
      cmocka_unit_test(a_shared_arena_lives_until_its_last_owner),
      cmocka_unit_test(a_cleared_arena_is_used_again),
      cmocka_unit_test(failing_memory_is_reported),
      cmocka_unit_test(numbers_print_shortest_and_read_back),
      cmocka_unit_test(numbers_do_not_follow_the_locale),
      cmocka_unit_test(files_are_written_whole_or_not_at_all),
      cmocka_unit_test(new_files_have_the_permissions_of_the_process),
      cmocka_unit_test(links_are_followed),
      cmocka_unit_test(what_is_no_file_is_not_replaced),
      cmocka_unit_test(more_memory_than_there_is_is_refused),
      cmocka_unit_test(failures_carry_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
