/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "progress.h"

static const char first_line[] = "ansatz part 1\n";
enum { HEADER_MOST = 1 << 26, SYNC_SECONDS = 5 };

typedef struct frame {
  char mark[8];
  uint64_t row, partial, bytes; /* bytes: behind the frame */
  uint64_t hash, outcome_hash;  /* of them all; of the outcome alone */
} frame;

_Static_assert(sizeof(row_outcome) % sizeof(double) == 0, "numbers follow the outcome");

static const char frame_mark[8] = {'a', 'n', 's', '-', 'r', 'o', 'w', '\n'};

uint64_t part_hash(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *text = bytes;
  for (; size >= 8; text += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, text, 8);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  for (; size > 0; text++, size--) hash = (hash ^ *text) * 0x100000001b3u;
  return hash;
}

/* ---- Opening ------------------------------------------------------------------------------------------ */

static int refuse(const part *part, const char *reason) {
  complain("%s: %s", part->path, reason);
  return EXIT_FILE;
}

/* `size` bytes at `place`; false: they are not there. */
static bool read_at(int descriptor, uint64_t place, void *bytes, size_t size) {
  for (char *to = bytes; size > 0;) {
    ssize_t got = pread(descriptor, to, size, (off_t)place);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    place += (uint64_t)got;
    size -= (size_t)got;
  }
  return true;
}

static bool write_at(int descriptor, uint64_t place, const void *bytes, size_t size) {
  for (const char *from = bytes; size > 0;) {
    ssize_t done = pwrite(descriptor, from, size, (off_t)place);
    if (done < 0 && errno != EINTR) return false;
    if (done <= 0) continue;
    from += done;
    place += (uint64_t)done;
    size -= (size_t)done;
  }
  return true;
}

static uint64_t file_size(int descriptor) {
  struct stat file;
  return fstat(descriptor, &file) == 0 && file.st_size > 0 ? (uint64_t)file.st_size : 0;
}

bool part_entry_at(const part *part, uint64_t place, part_entry *entry) {
  frame frame;
  uint64_t size = file_size(part->descriptor);
  if (place + sizeof frame > size || !read_at(part->descriptor, place, &frame, sizeof frame)) return false;
  if (memcmp(frame.mark, frame_mark, sizeof frame_mark) != 0 || frame.bytes > size - place - sizeof frame) return false;
  *entry = (part_entry){frame.row, place, place + sizeof frame + frame.bytes, frame.partial != 0};
  return true;
}

static void find_end(part *part) {
  part_entry entry;
  for (part->end = part->begin; part_entry_at(part, part->end, &entry);) part->end = entry.next;
}

/* False: there is no whole header. */
static bool read_header(part *part) {
  char line[sizeof first_line] = "";
  uint64_t length = 0, before = sizeof first_line - 1 + sizeof length;
  if (!read_at(part->descriptor, 0, line, sizeof first_line - 1) || strcmp(line, first_line) != 0) return false;
  if (!read_at(part->descriptor, sizeof first_line - 1, &length, sizeof length) || length > HEADER_MOST) return false;
  char *text = malloc((size_t)length + 1);
  bool good = text && read_at(part->descriptor, before, text, (size_t)length);
  part->header = good ? json_loadb(text, (size_t)length, 0, NULL) : NULL;
  free(text);
  part->begin = before + length;
  return json_is_object(part->header);
}

static int write_header(part *part, const json_t *header) {
  char *text = json_dumps(header, JSON_COMPACT | JSON_SORT_KEYS);
  uint64_t length = text ? strlen(text) : 0, before = sizeof first_line - 1 + sizeof length;
  bool good = text && ftruncate(part->descriptor, 0) == 0 && write_at(part->descriptor, before, text, (size_t)length) &&
              write_at(part->descriptor, sizeof first_line - 1, &length, sizeof length) &&
              write_at(part->descriptor, 0, first_line, sizeof first_line - 1);
  free(text);
  part->begin = part->end = before + length;
  return good ? EXIT_OK : refuse(part, strerror(errno));
}

int part_open(const char *path, json_t *header, part *part, bool *busy) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  *part = (struct part){.descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
  *busy = false;
  snprintf(part->path, sizeof part->path, "%s", path);
  if (part->descriptor < 0) return refuse(part, strerror(errno));
  if (fcntl(part->descriptor, F_SETLK, &whole) != 0) {
    *busy = errno == EACCES || errno == EAGAIN;
    int code = *busy ? EXIT_FILE : refuse(part, strerror(errno));
    part_close(part);
    return code;
  }
  int code = EXIT_OK;
  if (!read_header(part)) { /* new, or its process ended before there was a record */
    json_decref(part->header);
    part->header = json_incref(header);
    code = write_header(part, header);
  }
  find_end(part);
  if (code == EXIT_OK && ftruncate(part->descriptor, (off_t)part->end) != 0) code = refuse(part, strerror(errno));
  if (code != EXIT_OK) part_close(part);
  return code;
}

int part_open_hidden(json_t *header, part *part) {
  FILE *file = tmpfile();
  *part =
      (struct part){.descriptor = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1, .header = json_incref(header)};
  snprintf(part->path, sizeof part->path, "a temporary file");
  int reason = errno;
  if (file) fclose(file);
  if (part->descriptor < 0) return refuse(part, strerror(reason));
  return EXIT_OK;
}

int part_read(const char *path, part *part) {
  *part = (struct part){.descriptor = open(path, O_RDONLY | O_CLOEXEC)};
  snprintf(part->path, sizeof part->path, "%s", path);
  if (part->descriptor < 0) return refuse(part, strerror(errno));
  if (!read_header(part)) part->begin = UINT64_MAX / 2; /* another process is about to begin it: no records yet */
  part->end = part->begin;
  return EXIT_OK;
}

void part_close(part *part) {
  json_decref(part->header);
  if (part->descriptor >= 0) close(part->descriptor);
  *part = (struct part){.descriptor = -1};
}

bool part_in_work(const part *part) {
  struct flock other = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  return fcntl(part->descriptor, F_GETLK, &other) == 0 && other.l_type != F_UNLCK;
}

/* ---- Records ------------------------------------------------------------------------------------------ */

/* Numbers behind the outcome: coefficients, axes, fields. */
static size_t number_count(const ans_problem *problem, const row_outcome *outcome) {
  size_t points = 1, nodes = 0;
  for (size_t i = 0; i < ans_problem_count(problem, ANS_COORDINATES); i++) {
    nodes += outcome->axis_sizes[i];
    points *= outcome->axis_sizes[i];
  }
  return ans_problem_count(problem, ANS_SYMBOLS) + nodes + points * ans_problem_count(problem, ANS_FIELDS);
}

static void gather(const ans_problem *problem, const row_result *result, double *numbers) {
  size_t symbols = ans_problem_count(problem, ANS_SYMBOLS), count;
  memcpy(numbers, result->values, symbols * sizeof *numbers);
  numbers += symbols;
  for (size_t i = 0; result->solution && i < ans_solution_axis_count(result->solution); i++, numbers += count) {
    const double *nodes = ans_solution_axis(result->solution, i, NULL, &count);
    memcpy(numbers, nodes, count * sizeof *numbers);
  }
  for (size_t f = 0; result->solution && f < ans_solution_field_count(result->solution); f++, numbers += count) {
    const double *values = ans_solution_values(result->solution, f, NULL, &count);
    memcpy(numbers, values, count * sizeof *numbers);
  }
}

/* A record leaves for the system at once; that the disk has it is waited for only now and then, because what a killed
 * process wrote stays. */
static bool hand_over(part *part, const void *bytes, size_t size) {
  double now = monotonic_seconds();
  if (!write_at(part->descriptor, part->end, bytes, size)) return false;
  if (now - part->synced < SYNC_SECONDS) return true;
  part->synced = now;
  return fdatasync(part->descriptor) == 0 || errno == EINVAL || errno == EROFS;
}

bool part_append(part *part, const ans_problem *problem, const row_result *result) {
  size_t numbers = number_count(problem, &result->outcome);
  size_t bytes = sizeof result->outcome + numbers * sizeof(double);
  char *record = malloc(sizeof(frame) + bytes);
  if (!record) {
    complain("memory is exhausted");
    return false;
  }
  double *copy = (double *)(void *)(record + sizeof(frame) + sizeof result->outcome);
  memcpy(record + sizeof(frame), &result->outcome, sizeof result->outcome);
  gather(problem, result, copy);
  frame frame = {.row = result->outcome.row,
                 .partial = result->outcome.partial,
                 .bytes = bytes,
                 .hash = part_hash(PART_HASH, record + sizeof frame, bytes),
                 .outcome_hash = part_hash(PART_HASH, &result->outcome, sizeof result->outcome)};
  memcpy(frame.mark, frame_mark, sizeof frame_mark);
  memcpy(record, &frame, sizeof frame);
  bool good = hand_over(part, record, sizeof frame + bytes);
  free(record);
  if (good) {
    part->end += sizeof frame + bytes;
    return true;
  }
  if (!part->failed) complain("cannot write %s: %s", part->path, strerror(errno)); /* once, not from every thread */
  part->failed = true;
  if (ftruncate(part->descriptor, (off_t)part->end) != 0)
    complain("cannot shorten %s: %s", part->path, strerror(errno));
  return false;
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

/* Whether what was read can be used: texts end, sizes fit the record. */
static bool outcome_fits(const ans_problem *problem, uint64_t row, row_outcome *outcome, const frame *frame) {
  outcome->name[ROW_NAME - 1] = outcome->sentence[ROW_SENTENCE - 1] = outcome->shortfall[ROW_SHORTFALL - 1] = '\0';
  outcome->estimate.reason[sizeof outcome->estimate.reason - 1] = '\0';
  if (outcome->row != row || outcome->estimate.field_count > ANS_MAX_FIELDS) return false;
  if (outcome->structure >= ans_problem_count(problem, ANS_STRUCTURES)) return false;
  uint64_t points = 1;
  for (size_t i = 0; i < ANS_MAX_COORDINATES; i++) {
    if (outcome->axis_sizes[i] > 1 << 24) return false;
    if (i < ans_problem_count(problem, ANS_COORDINATES)) points *= outcome->axis_sizes[i];
    if (points > frame->bytes) return false; /* nor can the product overflow: there are not so many bytes */
  }
  return frame->bytes == sizeof *outcome + number_count(problem, outcome) * sizeof(double);
}

static void point_into(const ans_problem *problem, const double *numbers, part_row *row) {
  size_t points = 1, axes = ans_problem_count(problem, ANS_COORDINATES);
  row->values = numbers;
  numbers += ans_problem_count(problem, ANS_SYMBOLS);
  bool there = row->outcome.axis_sizes[0] > 0;
  for (size_t i = 0; i < axes; i++) {
    row->axes[i] = there ? numbers : NULL;
    numbers += row->outcome.axis_sizes[i];
    points *= row->outcome.axis_sizes[i];
  }
  for (size_t f = 0; f < ans_problem_count(problem, ANS_FIELDS); f++, numbers += points)
    row->fields[f] = there ? numbers : NULL;
}

static bool damaged(const part *part, const part_entry *entry) {
  complain("%s: the record of row %llu is damaged; remove this file and run its rows again", part->path,
           (unsigned long long)entry->row + 1);
  return false;
}

static bool take_room(part_row *row, size_t bytes) {
  if (bytes <= row->room) return true;
  free(row->bytes);
  row->bytes = malloc(bytes);
  row->room = row->bytes ? bytes : 0;
  if (!row->bytes) complain("memory is exhausted");
  return row->bytes != NULL;
}

bool part_load(const part *part, const ans_problem *problem, const part_entry *entry, bool fields, part_row *row) {
  frame frame;
  if (!read_at(part->descriptor, entry->place, &frame, sizeof frame) || frame.bytes < sizeof row->outcome)
    return damaged(part, entry);
  size_t bytes = fields ? (size_t)frame.bytes : sizeof row->outcome;
  if (!take_room(row, bytes)) return false;
  if (!read_at(part->descriptor, entry->place + sizeof frame, row->bytes, bytes)) return damaged(part, entry);
  if (part_hash(PART_HASH, row->bytes, bytes) != (fields ? frame.hash : frame.outcome_hash))
    return damaged(part, entry);
  memcpy(&row->outcome, row->bytes, sizeof row->outcome);
  if (!outcome_fits(problem, entry->row, &row->outcome, &frame)) return damaged(part, entry);
  if (fields) point_into(problem, row->bytes + sizeof row->outcome / sizeof(double), row);
  return true;
}

void part_row_drop(part_row *row) {
  free(row->bytes);
  *row = (part_row){0};
}
