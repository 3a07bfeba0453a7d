/* SPDX-License-Identifier: Apache-2.0
 *
 * options.h - what a command accepts, as data, and the arguments read by it.
 *
 * Everything a user can be told about a command stands in its `command`: --help, the manual page and the
 * shell completions are printed from it (help.c, manual.c, completion.c), so they cannot disagree.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct option {
  const char *name;  /* long name without its dashes; NULL ends a list */
  char letter;       /* short name, or 0 */
  const char *value; /* what follows it: "NAME", "PATH" (a file) or its choices "text|json"; NULL: nothing */
  const char *help;  /* one sentence without its full stop */
} option;

/* Which options make sense together. A command line that breaks a rule is wrong usage: what a user asked for would
 * otherwise be left out in silence. */
typedef struct option_rule {
  const char *option;   /* NULL ends a list */
  const char *needs;    /* "output|figure": it has no effect without one of these; NULL: always has one */
  const char *excludes; /* "case|json": it contradicts each of these or leaves it without effect; NULL: none */
} option_rule;

typedef struct example {
  const char *line;    /* as typed, without "ansatz "; NULL ends a list */
  const char *meaning; /* one sentence without its full stop */
} example;

typedef struct arguments arguments;

typedef struct command {
  const char *name;
  const char *operands;    /* "FILE", "[COMMAND]", "MODEL [NAME...]"; "" when there are none */
  const char *summary;     /* one line */
  const char *description; /* one paragraph */
  const option *options;
  const option_rule *rules; /* NULL: none */
  const example *examples;
  int (*run)(const arguments *arguments); /* the exit code */
  bool hidden;                            /* for the build: not in help, manual or completions */
} command;

enum { OPTIONS_MAX = 48, OPERANDS_MAX = 256 };

/* A command line, read. Strings are those of argv. */
struct arguments {
  const command *command; /* NULL: none was named */
  int operand_count;
  const char *operands[OPERANDS_MAX];
  const char *values[OPTIONS_MAX]; /* of the command's options, in its order; NULL: not given */
  bool json, quiet, help, version;
  uint64_t seed;
  bool seeded; /* the seed was given */
  int threads; /* at least 1 */
};

extern const option global_options[];   /* accepted by every command */
extern const command *const commands[]; /* ends with NULL */

/* Reads a command line. False: the mistake was reported on stderr and the exit code is that of wrong usage. */
bool arguments_read(int count, char **words, arguments *arguments);

/* NULL when there is no such command; then the mistake is reported with the nearest name. */
const command *command_find(const char *name);

/* The value of a command's own option ("" for a switch); NULL when it was not given. */
const char *option_value(const arguments *arguments, const char *name);

/* Puts another value in its place, which must live as long. */
void option_replace(arguments *arguments, const char *name, const char *value);

/* Numbers of options: false when the text is no number in the range, which was reported on stderr. Not given: *result
 * stays. */
bool option_integer(const arguments *arguments, const char *name, long low, long high, long *result);
bool option_number(const arguments *arguments, const char *name, double low, double high, double *result);

/* The choice's place in the option's "a|b|c"; -1 when it was not given. */
int option_choice(const arguments *arguments, const char *name);

/* Formats of an option that names a file to write, for option_file. */
#define FIELD_FORMATS  "nc|npz|csv"
#define FIGURE_FORMATS "png|svg|pdf"

/* Whether the file that an option names, when it is given, could be written: it ends in one of the formats (NULL: any
 * name will do) and its folder takes new files. The exit code; a mistake was reported. To ask before any work is done.
 */
int option_file(const arguments *arguments, const char *name, const char *formats);

/* The same for an option beside whose file another one will be written, with this ending after its name. */
int option_file_and(const arguments *arguments, const char *name, const char *formats, const char *ending);

/* Whether no file that the command writes is one that it reads or writes otherwise: operands, options that take a PATH,
 * and one more written file `path`, which is called `name` (NULL: none). False: a mistake was reported. */
bool option_files_differ(const arguments *arguments, const char *name, const char *path);

/* The i-th word of a list separated by `separator`, with its length, which may be 0; NULL beyond the end. */
const char *list_word(const char *list, char separator, int index, int *length);
int list_place(const char *list, char separator, const char *text); /* of the word that is `text`; -1: none */

#endif
