/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

enum { OPEN_FILES = 128 };

const char *ledger_text(const json_t *header, const char *name) {
  const char *text = json_string_value(json_object_get(header, name));
  return text ? text : "";
}

/* ---- Headers ------------------------------------------------------------------------------------------ */

static int no_memory(void) {
  complain("memory is exhausted");
  return EXIT_MEMORY;
}

/* "--steps 20", "version 0.3.0", "no --check" */
static void setting_text(const char *name, const json_t *value, char *text, size_t room) {
  const char *given = json_string_value(value);
  if (given)
    snprintf(text, room, "%s%s%.100s", name, *given ? " " : "", given);
  else
    snprintf(text, room, "no %s", name);
}

static int refuse(const char *path, const char *theirs, const char *mine) {
  complain("%s was made with %s, and this run has %s; give the same command, or remove the part files to start over",
           path, theirs, mine);
  return exit_code(ANS_MODEL);
}

/* The first setting that differs. */
static int compare(const char *path, const json_t *theirs, const json_t *mine) {
  const json_t *ours = json_object_get(mine, "settings"), *others = json_object_get(theirs, "settings");
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)ours, name, value) {
    const json_t *other = json_object_get(others, name);
    char their_text[160], our_text[160];
    if (other && json_equal(other, value)) continue;
    setting_text(name, other, their_text, sizeof their_text);
    setting_text(name, value, our_text, sizeof our_text);
    return refuse(path, their_text, our_text);
  }
  return json_equal(theirs, mine) ? EXIT_OK : refuse(path, "other settings", "its own");
}

/* A first part tells how many rows there are. */
static int take_header(ledger *ledger, json_t *header) {
  json_int_t rows = json_integer_value(json_object_get(header, "rows"));
  json_int_t layout = json_integer_value(json_object_get(header, "layout"));
  if (rows < 1 || rows >= INT32_MAX || layout != (json_int_t)sizeof(row_outcome)) {
    complain("%s: its part files were made by another version of the program", ledger->output);
    return exit_code(ANS_MODEL);
  }
  ledger->header = json_incref(header);
  ledger->rows = (size_t)rows;
  ledger->entries = calloc(ledger->rows, sizeof *ledger->entries);
  return ledger->entries ? EXIT_OK : no_memory();
}

/* ---- Parts -------------------------------------------------------------------------------------------- */

/* Few files are open at a time; the process's own stays, because closing it would give up its lock. */
static void close_some(ledger *ledger) {
  size_t open = 0;
  for (size_t p = 1; p < ledger->part_count; p++) open += ledger->parts[p].file.descriptor >= 0;
  for (size_t p = 1; open >= OPEN_FILES && p < ledger->part_count; p++) part_close(&ledger->parts[p].file);
}

static int open_part(ledger *ledger, size_t index) {
  ledger_part *one = &ledger->parts[index];
  if (one->file.descriptor >= 0) return EXIT_OK;
  close_some(ledger);
  return part_read(one->path, &one->file);
}

static void note(ledger *ledger, size_t part, const part_entry *entry) {
  if (entry->row >= ledger->rows) return;
  ledger_entry *known = &ledger->entries[entry->row];
  bool better = known->part == 0 || (known->partial && !entry->partial);
  if (!better) return;
  ledger->done += !entry->partial;
  *known = (ledger_entry){(uint32_t)part + 1, entry->partial, entry->place};
}

static int scan(ledger *ledger, size_t index) {
  const ledger_part *gone = &ledger->parts[index]; /* another process may have merged and removed it */
  if (gone->file.descriptor < 0 && access(gone->path, F_OK) != 0 && errno == ENOENT) return EXIT_OK;
  int code = open_part(ledger, index);
  if (code != EXIT_OK) return code;
  ledger_part *one = &ledger->parts[index];
  if (!one->file.header) { /* not begun when it was opened: perhaps now */
    part_close(&one->file);
    code = part_read(one->path, &one->file);
    if (code != EXIT_OK || !one->file.header) return code;
  }
  if (one->scanned == 0) {
    code =
        ledger->header ? compare(one->path, one->file.header, ledger->header) : take_header(ledger, one->file.header);
    if (code != EXIT_OK) return code;
    one->scanned = one->file.begin;
  }
  part_entry entry;
  for (; part_entry_at(&one->file, one->scanned, &entry); one->scanned = entry.next) note(ledger, index, &entry);
  return EXIT_OK;
}

static bool known(const ledger *ledger, const char *path) {
  for (size_t p = 0; p < ledger->part_count; p++)
    if (strcmp(ledger->parts[p].path, path) == 0) return true;
  return false;
}

/* The part at this path, last; at least 1 place is kept for the process's own. */
static bool add_part(ledger *ledger, const char *path) {
  ledger_part *larger = realloc(ledger->parts, (ledger->part_count + 1) * sizeof *larger);
  if (!larger) return false;
  ledger->parts = larger;
  ledger_part *one = &ledger->parts[ledger->part_count++];
  *one = (ledger_part){.file = {.descriptor = -1}};
  snprintf(one->path, sizeof one->path, "%s", path);
  return true;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Names of the part files beside the output, in one order whatever the folder's is; the caller frees them. False when
 * memory is exhausted: a part that is not seen would be taken for work that nobody does. */
static bool list_names(const ledger *ledger, char ***names, size_t *count) {
  const char *slash = strrchr(ledger->output, '/'), *name = slash ? slash + 1 : ledger->output;
  char folder[PATH_MAX], prefix[PATH_MAX + 8];
  bool whole = true;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - ledger->output) : 1, slash ? ledger->output : ".");
  int length = snprintf(prefix, sizeof prefix, "%s.part-", name);
  DIR *open = opendir(folder);
  for (struct dirent *entry; whole && open && (entry = readdir(open));) {
    if (strncmp(entry->d_name, prefix, (size_t)length) != 0) continue;
    char **larger = realloc(*names, (*count + 1) * sizeof *larger);
    if (larger) *names = larger;
    whole = larger && (larger[*count] = strdup(entry->d_name));
    if (whole) ++*count;
  }
  if (open) closedir(open);
  if (*count > 0) qsort(*names, *count, sizeof **names, by_name);
  return whole;
}

int ledger_refresh(ledger *ledger) {
  char **names = NULL, path[LEDGER_PATH];
  const char *slash = strrchr(ledger->output, '/');
  size_t count = 0;
  int code = !ledger->output[0] || list_names(ledger, &names, &count) ? EXIT_OK : no_memory();
  for (size_t i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - ledger->output) : 0, ledger->output, names[i]);
    if (code == EXIT_OK && !known(ledger, path) && !add_part(ledger, path)) code = no_memory();
    free(names[i]);
  }
  free(names);
  for (size_t p = 0; code == EXIT_OK && p < ledger->part_count; p++)
    if (ledger->parts[p].path[0]) code = scan(ledger, p);
  return code;
}

/* Place 0 is for the process's own part. */
static int begin(const char *output, json_t *header, ledger *ledger) {
  *ledger = (struct ledger){0};
  snprintf(ledger->output, sizeof ledger->output, "%s", output);
  if (!add_part(ledger, "")) return no_memory();
  return header ? take_header(ledger, header) : EXIT_OK;
}

int ledger_open(const char *output, json_t *header, ledger *ledger) {
  int code = begin(output, header, ledger);
  if (code == EXIT_OK) code = ledger_refresh(ledger);
  if (code == EXIT_OK && !ledger->header) {
    complain("there is no %s.part-*: `ansatz solve --targets TABLE -o %s --shard K/N` makes them", output, output);
    code = EXIT_FILE;
  }
  if (code != EXIT_OK) ledger_close(ledger, false);
  return code;
}

int ledger_open_hidden(json_t *header, ledger *ledger) {
  int code = begin("", header, ledger);
  if (code == EXIT_OK) code = part_open_hidden(header, &ledger->parts[0].file);
  if (code != EXIT_OK) ledger_close(ledger, false);
  return code;
}

int ledger_append_to(ledger *ledger, const char *ending, bool *busy) {
  ledger_part *own = &ledger->parts[0];
  int used = snprintf(own->path, sizeof own->path, "%s.part-%s", ledger->output, ending);
  if (used < 0 || (size_t)used >= sizeof own->path) {
    complain("the path %s is too long", ledger->output);
    return EXIT_FILE;
  }
  /* It may be among those that were read. That descriptor is closed before the lock is taken, because closing it later
   * would give the lock up. */
  size_t listed = 0;
  for (size_t p = 1; p < ledger->part_count; p++)
    if (strcmp(ledger->parts[p].path, own->path) == 0) listed = p;
  if (listed) part_close(&ledger->parts[listed].file);
  int code = part_open(own->path, ledger->header, &own->file, busy);
  if (code != EXIT_OK) {
    own->path[0] = '\0';
    return code;
  }
  if (listed) ledger->parts[listed].path[0] = '\0';
  for (size_t row = 0; listed && row < ledger->rows; row++)
    if (ledger->entries[row].part == listed + 1) ledger->entries[row].part = 1;
  return scan(ledger, 0);
}

bool ledger_add(ledger *ledger, const ans_problem *problem, const row_result *result) {
  part *own = &ledger->parts[0].file;
  part_entry entry = {result->outcome.row, own->end, 0, result->outcome.partial};
  if (!part_append(own, problem, result)) return false;
  ledger->parts[0].scanned = own->end;
  note(ledger, 0, &entry);
  return true;
}

bool ledger_has(const ledger *ledger, size_t row) {
  return ledger->entries[row].part > 0 && !ledger->entries[row].partial;
}

bool ledger_load(ledger *ledger, const ans_problem *problem, size_t row, bool fields, part_row *result, bool *failed) {
  const ledger_entry *where = &ledger->entries[row];
  *failed = false;
  if (where->part == 0) return false;
  part_entry entry = {row, where->place, 0, where->partial};
  *failed = open_part(ledger, where->part - 1) != EXIT_OK ||
            !part_load(&ledger->parts[where->part - 1].file, problem, &entry, fields, result);
  return !*failed;
}

bool ledger_in_work(ledger *ledger) {
  for (size_t p = 1; p < ledger->part_count; p++)
    if (ledger->parts[p].path[0] && open_part(ledger, p) == EXIT_OK && part_in_work(&ledger->parts[p].file))
      return true;
  return false;
}

bool ledger_is_over(const ledger *ledger) {
  struct stat own;
  int descriptor = ledger->parts[0].file.descriptor;
  return descriptor >= 0 && ledger->output[0] && fstat(descriptor, &own) == 0 && own.st_nlink == 0;
}

size_t ledger_part_count(const ledger *ledger) {
  size_t count = 0;
  for (size_t p = 0; p < ledger->part_count; p++) count += ledger->parts[p].path[0] != '\0';
  return count;
}

void ledger_close(ledger *ledger, bool remove) {
  for (size_t p = 0; p < ledger->part_count; p++) {
    if (remove && ledger->parts[p].path[0]) unlink(ledger->parts[p].path);
    part_close(&ledger->parts[p].file);
  }
  free(ledger->parts);
  free(ledger->entries);
  json_decref(ledger->header);
  *ledger = (struct ledger){0};
}
