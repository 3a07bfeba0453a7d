/* SPDX-License-Identifier: Apache-2.0
 *
 * help.c - `ansatz help`, --help, and the same table as JSON.
 */
#include "help.h"

#include <string.h>

#include "commands.h"
#include "json.h"
#include "output.h"

const char program_summary[] = "solve families of differential equations that are written as text";
const char program_description[] =
    "A family of partial differential equations is a text file. ansatz reads it, shows what it understood, and derives "
    "everything else from the same list of terms.";

const exit_meaning exit_meanings[] = {
    {0, "success"},
    {2, "wrong usage, or a value outside its range"},
    {3, "the problem file could not be understood"},
    {4, "the problem is understood but not supported"},
    {5, "a model file is damaged or does not belong here"},
    {6, "the computation diverged"},
    {7, "the requested tolerance was not met"},
    {8, "a file or standard output could not be read or written"},
    {9, "memory is exhausted"},
    {129, "the terminal was closed (SIGHUP)"},
    {130, "interrupted with Ctrl-C"},
    {138, "ended by SIGUSR1, with which Slurm warns a job of its end; what is done is kept, the same command goes on"},
    {143, "ended by SIGTERM, likewise"},
    {0, NULL},
};

enum { COLUMNS = 92, INDENT = 28 };

/* Prints words from column `column` on, continuing lines at `indent`. */
static void print_wrapped(FILE *stream, const char *text, int column, int indent) {
  int length;
  const char *word;
  for (int i = 0; (word = list_word(text, ' ', i, &length)); i++) {
    if (i > 0 && column + 1 + length > COLUMNS) {
      fprintf(stream, "\n%*s", indent, "");
      column = indent;
    } else if (i > 0) {
      fputc(' ', stream);
      column++;
    }
    fprintf(stream, "%.*s", length, word);
    column += length;
  }
  fputc('\n', stream);
}

static void print_options(FILE *stream, const option *options) {
  for (; options && options->name; options++) {
    char left[128];
    int used = options->letter ? snprintf(left, sizeof left, "  -%c, --%s", options->letter, options->name)
                               : snprintf(left, sizeof left, "      --%s", options->name);
    if (options->value) used += snprintf(left + used, sizeof left - (size_t)used, " %s", options->value);
    fprintf(stream, "%s", left);
    if (used + 2 > INDENT)
      fprintf(stream, "\n%*s", INDENT, "");
    else
      fprintf(stream, "%*s", INDENT - used, "");
    print_wrapped(stream, options->help, INDENT, INDENT);
  }
}

static void print_examples(FILE *stream, const example *examples) {
  for (; examples && examples->line; examples++)
    fprintf(stream, "  ansatz %s\n      %s\n", examples->line, examples->meaning);
}

void print_help(FILE *stream, const command *command) {
  fprintf(stream, "ansatz %s - %s\n\nExamples\n", command->name, command->summary);
  print_examples(stream, command->examples);
  fprintf(stream, "\nUsage\n  ansatz %s%s%s [OPTION...]\n\n", command->name, *command->operands ? " " : "",
          command->operands);
  print_wrapped(stream, command->description, 0, 0);
  if (command->options && command->options->name) {
    fputs("\nOptions\n", stream);
    print_options(stream, command->options);
  }
  fputs("\nOptions of every command\n", stream);
  print_options(stream, global_options);
}

void print_overview(FILE *stream) {
  fprintf(stream, "ansatz - %s\n\nExamples\n", program_summary);
  int shown = 0;
  for (const command *const *c = commands; *c && shown < 3; c++)
    if (!(*c)->hidden && (*c)->examples->line) {
      fprintf(stream, "  ansatz %s\n      %s\n", (*c)->examples->line, (*c)->examples->meaning);
      shown++;
    }
  fputs("\nCommands\n", stream);
  for (const command *const *c = commands; *c; c++)
    if (!(*c)->hidden) fprintf(stream, "  %-12s %s\n", (*c)->name, (*c)->summary);
  fputs("\n'ansatz help COMMAND' explains one of them; 'ansatz --version' prints the version.\n"
        "\nOptions of every command\n",
        stream);
  print_options(stream, global_options);
}

/* ---- The table as JSON ------------------------------------------------------------------------------- */

static json_t *options_json(const option *options) {
  json_t *list = json_array();
  for (; options && options->name; options++) {
    char letter[2] = {options->letter, '\0'};
    json_array_append_new(list, json_pack("{s:s, s:s, s:s?, s:s}", "name", options->name, "letter", letter, "value",
                                          options->value, "help", options->help));
  }
  return list;
}

/* "output|figure" as a list; an empty one for NULL. */
static json_t *names_json(const char *names) {
  json_t *list = json_array();
  const char *word;
  int length;
  for (int i = 0; names && (word = list_word(names, '|', i, &length)); i++)
    json_array_append_new(list, json_stringn(word, (size_t)length));
  return list;
}

static json_t *rules_json(const option_rule *rules) {
  json_t *list = json_array();
  for (; rules && rules->option; rules++)
    json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "option", rules->option, "needs", names_json(rules->needs),
                                          "excludes", names_json(rules->excludes)));
  return list;
}

static json_t *command_json(const command *command) {
  json_t *examples = json_array();
  for (const example *e = command->examples; e && e->line; e++)
    json_array_append_new(examples, json_pack("{s:s, s:s}", "line", e->line, "meaning", e->meaning));
  return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "name", command->name, "operands", command->operands,
                   "summary", command->summary, "description", command->description, "options",
                   options_json(command->options), "rules", rules_json(command->rules), "examples", examples);
}

static int print_table_json(const command *only) {
  json_t *list = json_array(), *codes = json_array();
  for (const command *const *c = commands; *c; c++)
    if (only ? *c == only : !(*c)->hidden) json_array_append_new(list, command_json(*c));
  for (const exit_meaning *e = exit_meanings; e->meaning; e++)
    json_array_append_new(codes, json_pack("{s:i, s:s}", "code", e->code, "meaning", e->meaning));
  return print_json(json_pack("{s:s, s:o, s:o, s:o}", "version", ans_version(), "commands", list, "options",
                              options_json(global_options), "exit_codes", codes));
}

static int run_help(const arguments *arguments) {
  const command *command = NULL;
  if (arguments->operand_count > 0 && !(command = command_find(arguments->operands[0]))) return EXIT_USAGE;
  if (arguments->json) return print_table_json(command);
  if (command)
    print_help(stdout, command);
  else
    print_overview(stdout);
  return EXIT_OK;
}

const command help_command = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "explain a command",
    .description = "Prints how a command is used, its options and examples. With --json, the whole table of commands.",
    .examples = (const example[]){{"help show", "how `ansatz show` is used"},
                                  {"help --json", "every command, option and exit code as JSON"},
                                  {0}},
    .run = run_help,
};
