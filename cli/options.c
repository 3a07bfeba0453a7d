/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ansatz_tools.h"
#include "output.h"

enum { NAME_BYTES = 40 };

/* ---- Lists ------------------------------------------------------------------------------------------- */

const char *list_word(const char *list, char separator, int index, int *length) {
  for (; index > 0; index--) {
    list = strchr(list, separator);
    if (!list) return NULL;
    list++;
  }
  const char *end = strchr(list, separator);
  *length = end ? (int)(end - list) : (int)strlen(list);
  return list;
}

int list_place(const char *list, char separator, const char *text) {
  const char *word;
  int length;
  for (int i = 0; (word = list_word(list, separator, i, &length)); i++)
    if (strlen(text) == (size_t)length && strncmp(text, word, (size_t)length) == 0) return i;
  return -1;
}

/* How many operands a command takes, from its "FILE [NAME...]". */
static void operand_limits(const char *operands, int *least, int *most) {
  *least = *most = 0;
  int length;
  const char *word;
  for (int i = 0; *operands && (word = list_word(operands, ' ', i, &length)); i++) {
    if (word[0] != '[') ++*least;
    bool repeats = length > 3 && memchr(word, '.', (size_t)length) != NULL;
    *most = repeats ? OPERANDS_MAX : *most + 1;
  }
}

const command *command_find(const char *name) {
  const char *names[64];
  size_t count = 0;
  for (const command *const *c = commands; *c; c++) {
    if (strcmp((*c)->name, name) == 0) return *c;
    if (!(*c)->hidden) names[count++] = (*c)->name;
  }
  char room[ANS_SUGGESTION_BYTES];
  const char *near = ans_suggestion(name, names, count, room);
  complain("there is no command '%s'%s", name, *near ? near : "; 'ansatz help' lists them");
  return NULL;
}

/* ---- Options ----------------------------------------------------------------------------------------- */

static int find_option(const option *options, const char *name, size_t length) {
  for (int i = 0; options && options[i].name; i++)
    if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0) return i;
  return -1;
}

static int find_letter(const option *options, char letter) {
  for (int i = 0; options && options[i].name; i++)
    if (options[i].letter == letter) return i;
  return -1;
}

/* Adds the options as they are typed, "--name". */
static size_t collect_names(const option *options, char (*names)[NAME_BYTES], size_t count) {
  for (; options && options->name && count < 2 * OPTIONS_MAX; options++)
    snprintf(names[count++], NAME_BYTES, "--%s", options->name);
  return count;
}

static bool unknown_option(const arguments *arguments, const char *word) {
  char typed[NAME_BYTES], names[2 * OPTIONS_MAX][NAME_BYTES], room[ANS_SUGGESTION_BYTES];
  const char *pointers[2 * OPTIONS_MAX];
  snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
  size_t count = collect_names(global_options, names, 0);
  if (arguments->command) count = collect_names(arguments->command->options, names, count);
  for (size_t i = 0; i < count; i++) pointers[i] = names[i];
  complain("%s has no option %s%s", arguments->command ? arguments->command->name : "ansatz", typed,
           ans_suggestion(typed, pointers, count, room));
  return false;
}

static bool read_count(const char *name, const char *text, uint64_t low, uint64_t high, uint64_t *result) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && number >= low && number <= high) {
    *result = number;
    return true;
  }
  complain("--%s wants a whole number from %llu to %llu, not '%s'", name, (unsigned long long)low,
           (unsigned long long)high, text);
  return false;
}

static bool set_global(arguments *arguments, const char *name, const char *value) {
  uint64_t number = 0;
  if (strcmp(name, "json") == 0)
    arguments->json = true;
  else if (strcmp(name, "quiet") == 0)
    arguments->quiet = true;
  else if (strcmp(name, "help") == 0)
    arguments->help = true;
  else if (strcmp(name, "seed") == 0) /* at most what results and records can tell as JSON */
    return arguments->seeded = read_count(name, value, 0, INT64_MAX, &arguments->seed);
  else if (!read_count(name, value, 1, 1024, &number))
    return false;
  else
    arguments->threads = (int)number;
  return true;
}

static bool choice_allowed(const option *option, const char *value) {
  if (!option->value || !strchr(option->value, '|')) return true;
  const char *names[32];
  char copies[32][24];
  size_t count = 0;
  int length;
  for (const char *word; count < 32 && (word = list_word(option->value, '|', (int)count, &length)); count++) {
    assert((size_t)length < sizeof copies[0]);
    memcpy(copies[count], word, (size_t)length);
    copies[count][length] = '\0';
    if (strcmp(copies[count], value) == 0) return true;
    names[count] = copies[count];
  }
  char room[ANS_SUGGESTION_BYTES];
  complain("--%s is one of %s, not '%s'%s", option->name, option->value, value,
           ans_suggestion(value, names, count, room));
  return false;
}

static bool wants_value(const option *option) {
  complain("--%s wants a value: %s", option->name, option->value);
  return false;
}

static bool set_option(arguments *arguments, const option *option, int own, const char *value) {
  /* As of an unset variable in a script; as a path it would name the current folder or the root. */
  if (option->value && !*value) return wants_value(option);
  if (own < 0) return set_global(arguments, option->name, value);
  if (arguments->values[own]) {
    complain("--%s is given twice", option->name);
    return false;
  }
  if (!choice_allowed(option, value)) return false;
  arguments->values[own] = value;
  return true;
}

/* Finds an option among the command's own (its place in *own) and the global ones (*own = -1). */
static const option *look_up(const arguments *arguments, const char *name, size_t length, char letter, int *own) {
  const option *lists[2] = {arguments->command ? arguments->command->options : NULL, global_options};
  for (int i = 0; i < 2; i++) {
    int place = letter ? find_letter(lists[i], letter) : find_option(lists[i], name, length);
    *own = i == 0 ? place : -1;
    if (place >= 0) return &lists[i][place];
  }
  return NULL;
}

/* Reads the option words[*next], and its value from the same word or the following one. */
static bool read_option(arguments *arguments, int count, char **words, int *next) {
  const char *word = words[(*next)++], *attached = NULL;
  bool is_long = word[1] == '-';
  const char *name = word + (is_long ? 2 : 1);
  size_t length = is_long ? strcspn(name, "=") : 1;
  if (is_long && name[length] == '=') attached = name + length + 1;
  if (!is_long && name[1]) attached = name + 1;
  int own;
  const option *option = look_up(arguments, name, length, is_long ? 0 : name[0], &own);
  if (!option && is_long) return unknown_option(arguments, word);
  if (!option) {
    complain("there is no option %.2s", word);
    return false;
  }
  if (!option->value && attached) {
    complain("--%s takes no value", option->name);
    return false;
  }
  if (!option->value) return set_option(arguments, option, own, "");
  if (!attached && *next >= count) return wants_value(option);
  return set_option(arguments, option, own, attached ? attached : words[(*next)++]);
}

/* ---- Options that belong together -------------------------------------------------------------------- */

static bool is_given(const arguments *arguments, const char *name, int length) {
  if (length == 4 && strncmp(name, "json", 4) == 0) return arguments->json;
  int place = find_option(arguments->command->options, name, (size_t)length);
  assert(place >= 0 && "a rule names options of its command, or json");
  return arguments->values[place] != NULL;
}

/* Appends "--output or --figure" for "output|figure". */
static void write_needed(const char *needs, char *text, size_t room) {
  const char *word;
  int length;
  size_t used = 0;
  for (int i = 0; used < room && (word = list_word(needs, '|', i, &length)); i++)
    used += (size_t)snprintf(text + used, room - used, "%s--%.*s", i ? " or " : "", length, word);
}

static bool rule_holds(const arguments *arguments, const option_rule *rule) {
  const char *word;
  char needed[128];
  int length;
  bool met = !rule->needs;
  if (!is_given(arguments, rule->option, (int)strlen(rule->option))) return true;
  for (int i = 0; rule->needs && (word = list_word(rule->needs, '|', i, &length)); i++)
    met = met || is_given(arguments, word, length);
  if (!met) {
    write_needed(rule->needs, needed, sizeof needed);
    complain("--%s has no effect without %s", rule->option, needed);
    return false;
  }
  for (int i = 0; rule->excludes && (word = list_word(rule->excludes, '|', i, &length)); i++)
    if (is_given(arguments, word, length)) {
      complain("--%.*s cannot be combined with --%s", length, word, rule->option);
      return false;
    }
  return true;
}

static bool rules_hold(const arguments *arguments) {
  for (const option_rule *rule = arguments->command->rules; rule && rule->option; rule++)
    if (!rule_holds(arguments, rule)) return false;
  return true;
}

/* ---- Command lines ----------------------------------------------------------------------------------- */

static bool operands_fit(const arguments *arguments) {
  int least, most;
  operand_limits(arguments->command->operands, &least, &most);
  const char *name = arguments->command->name;
  if (arguments->operand_count < least)
    complain("%s wants %s; 'ansatz help %s' has examples", name, arguments->command->operands, name);
  else if (arguments->operand_count > most)
    complain("%s does not take '%s'", name, arguments->operands[most]);
  else
    return true;
  return false;
}

/* Threads that a job was given: the first number of a list like "4,2"; 0: the variable says nothing. */
static long threads_given(const char *variable) {
  const char *text = getenv(variable);
  char *end;
  if (!text || *text < '0' || *text > '9') return 0;
  long number = strtol(text, &end, 10);
  return *end == '\0' || *end == ',' ? number : 0;
}

static int processors(void) {
  long number = threads_given("OMP_NUM_THREADS");
  if (number < 1) number = threads_given("SLURM_CPUS_PER_TASK");
  if (number < 1) number = sysconf(_SC_NPROCESSORS_ONLN);
  return number < 1 ? 1 : number > 1024 ? 1024 : (int)number;
}

bool arguments_read(int count, char **words, arguments *arguments) {
  *arguments = (struct arguments){.seed = 101, .threads = processors()};
  bool options_end = false;
  for (int next = 1; next < count;) {
    const char *word = words[next];
    if (!options_end && strcmp(word, "--") == 0) {
      options_end = true;
      next++;
    } else if (!arguments->command && strcmp(word, "--version") == 0) {
      arguments->version = true;
      return true;
    } else if (!options_end && word[0] == '-' && word[1]) {
      if (!read_option(arguments, count, words, &next)) return false;
    } else if (!arguments->command) {
      if (!(arguments->command = command_find(words[next++]))) return false;
    } else if (arguments->operand_count == OPERANDS_MAX) {
      complain("more than %d arguments", OPERANDS_MAX);
      return false;
    } else {
      arguments->operands[arguments->operand_count++] = words[next++];
    }
  }
  return !arguments->command || arguments->help || (operands_fit(arguments) && rules_hold(arguments));
}

const char *option_value(const arguments *arguments, const char *name) {
  int place = find_option(arguments->command->options, name, strlen(name));
  assert(place >= 0 && "every option a command asks for stands in its table");
  return arguments->values[place];
}

void option_replace(arguments *arguments, const char *name, const char *value) {
  arguments->values[find_option(arguments->command->options, name, strlen(name))] = value;
}

bool option_integer(const arguments *arguments, const char *name, long low, long high, long *result) {
  const char *text = option_value(arguments, name);
  if (!text) return true;
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (end == text || *end || errno || number < low || number > high) {
    complain("--%s wants a whole number from %ld to %ld, not '%s'", name, low, high, text);
    return false;
  }
  *result = number;
  return true;
}

bool option_number(const arguments *arguments, const char *name, double low, double high, double *result) {
  const char *text = option_value(arguments, name);
  if (!text) return true;
  char *end;
  double number = strtod(text, &end);
  if (end == text || *end || !isfinite(number) || number < low || number > high) {
    complain("--%s wants a number from %g to %g, not '%s'", name, low, high, text);
    return false;
  }
  *result = number;
  return true;
}

int option_choice(const arguments *arguments, const char *name) {
  const char *value = option_value(arguments, name);
  if (!value) return -1;
  const char *choices = arguments->command->options[find_option(arguments->command->options, name, strlen(name))].value;
  return list_place(choices, '|', value);
}

/* ---- Files to write ---------------------------------------------------------------------------------- */

static bool has_format(const char *path, const char *formats) {
  const char *dot = strrchr(path, '.'), *word;
  int length;
  for (int i = 0; dot && (word = list_word(formats, '|', i, &length)); i++)
    if (strlen(dot + 1) == (size_t)length && strncasecmp(dot + 1, word, (size_t)length) == 0) return true;
  return false;
}

/* A file is written beside its place and renamed, so that its folder must take new files; a read-only file stays.
 * 0, or the errno. */
static int folder_refuses(const char *path) {
  char folder[4096];
  struct stat there;
  const char *slash = strrchr(path, '/');
  int used = slash ? snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path) : snprintf(folder, 3, "./");
  if (used < 0 || (size_t)used >= sizeof folder) return ENAMETOOLONG;
  if (stat(path, &there) == 0) {
    if (S_ISDIR(there.st_mode)) return EISDIR;
    if (S_ISREG(there.st_mode) && ((there.st_mode & 0222) == 0 || access(path, W_OK) != 0)) return EACCES;
  }
  return access(folder, W_OK | X_OK) == 0 ? 0 : errno;
}

/* Whether the path with `more` bytes at its end, or the temporary name beside it, is longer than a path may be. */
static bool too_long(const char *path, size_t more) {
  enum { TEMPORARY = 32 };
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t folder = (size_t)(name - path), added = strlen(name) + more;
  return added > NAME_MAX || folder + (added > TEMPORARY ? added : TEMPORARY) >= PATH_MAX;
}

int option_file(const arguments *arguments, const char *name, const char *formats) {
  return option_file_and(arguments, name, formats, "");
}

int option_file_and(const arguments *arguments, const char *name, const char *formats, const char *ending) {
  const char *path = option_value(arguments, name);
  if (!path) return EXIT_OK;
  if (formats && !has_format(path, formats)) {
    complain("--%s %s: the extension must be one of %s", name, path, formats);
    return EXIT_USAGE;
  }
  int reason = folder_refuses(path);
  if (reason == 0 && too_long(path, strlen(ending))) {
    complain("--%s: cannot write %s%s: %s", name, path, ending, strerror(ENAMETOOLONG));
    return EXIT_FILE;
  }
  if (reason == 0) return EXIT_OK;
  complain("--%s: cannot write %s: %s", name, path, strerror(reason));
  return EXIT_FILE;
}

/* ---- Files that would destroy each other ------------------------------------------------------------- */

/* Options of these names are written, in whichever command; everything else that names a file is read. */
static const char written_options[] = "output|figure|save|log";

typedef struct named_path {
  const char *dashes, *name, *path; /* "--", "output", "m.safetensors"; "", "FILE", "f.pde" */
  bool written;
} named_path;

/* The path without links and dots, of a file that need not be there yet. */
static bool whole_path(const char *path, char whole[PATH_MAX]) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  int used = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 1, slash ? path : ".");
  if (used < 0 || (size_t)used >= sizeof folder || !realpath(folder, whole)) return false;
  size_t length = strlen(whole);
  used = snprintf(whole + length, PATH_MAX - length, "/%s", name);
  return used > 0 && (size_t)used < PATH_MAX - length;
}

/* Devices and pipes take what several write; a name of something that ships is no file here. */
static bool same_file(const char *one, const char *other) {
  struct stat first, second;
  char first_path[PATH_MAX], second_path[PATH_MAX];
  bool first_there = stat(one, &first) == 0, second_there = stat(other, &second) == 0;
  if (first_there != second_there) return false;
  if (first_there) return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  return whole_path(one, first_path) && whole_path(other, second_path) && strcmp(first_path, second_path) == 0;
}

static size_t collect_paths(const arguments *arguments, named_path *paths) {
  size_t count = 0;
  const option *options = arguments->command->options;
  for (int i = 0; i < arguments->operand_count; i++)
    if (access(arguments->operands[i], F_OK) == 0)
      paths[count++] = (named_path){"", arguments->command->operands, arguments->operands[i], false};
  for (int i = 0; options && options[i].name; i++)
    if (arguments->values[i] && options[i].value && strcmp(options[i].value, "PATH") == 0)
      paths[count++] = (named_path){"--", options[i].name, arguments->values[i],
                                    list_place(written_options, '|', options[i].name) >= 0};
  return count;
}

static bool paths_differ(const named_path *one, const named_path *other) {
  if ((!one->written && !other->written) || !same_file(one->path, other->path)) return true;
  complain("%s%s %s and %s%s %s are the same file; one would overwrite the other", one->dashes, one->name, one->path,
           other->dashes, other->name, other->path);
  return false;
}

/* What FILE includes is read as well, and what is written by hand is not made again. */
static bool is_problem(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".pde") == 0 && access(path, F_OK) == 0;
}

bool option_files_differ(const arguments *arguments, const char *name, const char *path) {
  named_path paths[OPERANDS_MAX + OPTIONS_MAX + 1];
  size_t count = collect_paths(arguments, paths);
  if (path) paths[count++] = (named_path){"", name, path, true};
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < i; k++)
      if (!paths_differ(&paths[k], &paths[i])) return false;
  for (size_t i = 0; i < count; i++)
    if (paths[i].dashes[0] && paths[i].written && is_problem(paths[i].path)) {
      complain("--%s: %s is a problem file and would be overwritten; give another path", paths[i].name, paths[i].path);
      return false;
    }
  return true;
}
