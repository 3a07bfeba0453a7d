/* SPDX-License-Identifier: Apache-2.0
 *
 * completion.c - completions for bash, zsh and fish, printed from the table of commands.
 *
 * A value named PATH, FILE or MODEL completes to files, one written as "a|b|c" to its choices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "output.h"

static FILE *out; /* where the script goes: standard output, or memory for --json */

static bool names_a_file(const char *value) {
  return value && (strstr(value, "PATH") || strstr(value, "FILE") || strstr(value, "FOLDER") || strstr(value, "MODEL"));
}

static bool has_choices(const option *option) { return option->value && strchr(option->value, '|'); }

static void print_spaced(const char *choices) {
  for (; *choices; choices++) fputc(*choices == '|' ? ' ' : *choices, out);
}

/* Text between single quotes of a shell. */
static void print_quoted(const char *text) {
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", out);
    else
      fputc(*text, out);
}

static void print_command_names(void) {
  for (const command *const *c = commands; *c; c++)
    if (!(*c)->hidden) fprintf(out, "%s%s", c == commands ? "" : " ", (*c)->name);
}

/* ---- bash -------------------------------------------------------------------------------------------- */

static void bash_option_names(const option *options) {
  for (; options && options->name; options++) {
    fprintf(out, " --%s", options->name);
    if (options->letter) fprintf(out, " -%c", options->letter);
  }
}

static void bash_values(const char *command, const option *options) {
  for (; options && options->name; options++) {
    if (!options->value) continue;
    fprintf(out, "    %s:--%s", command, options->name);
    if (options->letter) fprintf(out, "|%s:-%c", command, options->letter);
    fputs(") ", out);
    if (has_choices(options)) {
      fputs("COMPREPLY=($(compgen -W '", out);
      print_spaced(options->value);
      fputs("' -- \"$current\"))", out);
    } else if (names_a_file(options->value)) {
      fputs("COMPREPLY=($(compgen -f -- \"$current\"))", out);
    } else {
      fputs("COMPREPLY=()", out);
    }
    fputs("; return ;;\n", out);
  }
}

static void print_bash(void) {
  fputs("# Completion of ansatz for bash, printed by `ansatz completion bash`.\n"
        "_ansatz() {\n"
        "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\" command='' word\n"
        "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
        "    case \"$word\" in -*) ;; *) command=\"$word\"; break ;; esac\n"
        "  done\n"
        "  case \"$command:$previous\" in\n",
        out);
  for (const command *const *c = commands; *c; c++)
    if (!(*c)->hidden) bash_values((*c)->name, (*c)->options);
  bash_values("*", global_options);
  fputs("  esac\n  local options='", out);
  bash_option_names(global_options);
  fputs("'\n  case \"$command\" in\n    '') COMPREPLY=($(compgen -W '", out);
  print_command_names();
  fputs("'\" --version$options\" -- \"$current\")); return ;;\n", out);
  for (const command *const *c = commands; *c; c++) {
    if ((*c)->hidden) continue;
    fprintf(out, "    %s) options+='", (*c)->name);
    bash_option_names((*c)->options);
    fputs("' ;;\n", out);
  }
  fputs("  esac\n  case \"$current\" in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n    *) ",
        out);
  fputs("if [ \"$command\" = help ]; then COMPREPLY=($(compgen -W '", out);
  print_command_names();
  fputs("' -- \"$current\")); else COMPREPLY=($(compgen -f -- \"$current\")); fi ;;\n  esac\n}\n"
        "complete -o filenames -F _ansatz ansatz\n",
        out);
}

/* ---- zsh --------------------------------------------------------------------------------------------- */

/* In an option's "[explanation]" brackets and colons are syntax. */
static void zsh_explanation(const char *text) {
  for (; *text; text++) {
    if (strchr("[]:\\", *text)) fputc('\\', out);
    char one[2] = {*text, '\0'};
    print_quoted(one);
  }
}

static void zsh_option(const option *option, const char *dashes, const char *name) {
  fprintf(out, "      '%s%s%s[", dashes, name, option->value && strlen(dashes) == 2 ? "=" : option->value ? "+" : "");
  zsh_explanation(option->help);
  fputc(']', out);
  if (has_choices(option)) {
    fprintf(out, ":%s:(", option->name);
    print_spaced(option->value);
    fputc(')', out);
  } else if (option->value) {
    fprintf(out, ":%s:%s", option->value, names_a_file(option->value) ? "_files" : " ");
  }
  fputs("' \\\n", out);
}

static void zsh_options(const option *options) {
  for (; options && options->name; options++) {
    char letter[2] = {options->letter, '\0'};
    zsh_option(options, "--", options->name);
    if (options->letter) zsh_option(options, "-", letter);
  }
}

static void print_zsh(void) {
  fputs("#compdef ansatz\n# Completion of ansatz for zsh, printed by `ansatz completion zsh`.\n"
        "_ansatz() {\n  local -a names\n  names=(\n",
        out);
  for (const command *const *c = commands; *c; c++) {
    if ((*c)->hidden) continue;
    fprintf(out, "    '%s:", (*c)->name);
    print_quoted((*c)->summary);
    fputs("'\n", out);
  }
  fputs("  )\n  if (( CURRENT == 2 )); then\n    _describe 'command' names\n    return\n  fi\n"
        "  local name=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $name in\n",
        out);
  for (const command *const *c = commands; *c; c++) {
    if ((*c)->hidden) continue;
    fprintf(out, "    %s) _arguments \\\n", (*c)->name);
    zsh_options((*c)->options);
    zsh_options(global_options);
    if (*(*c)->operands)
      fputs("      '*:file:_files' ;;\n", out);
    else
      fputs("      ;;\n", out);
  }
  fputs("  esac\n}\n_ansatz \"$@\"\n", out);
}

/* ---- fish -------------------------------------------------------------------------------------------- */

static void fish_options(const char *condition, const option *options) {
  for (; options && options->name; options++) {
    fprintf(out, "complete -c ansatz%s -l %s", condition, options->name);
    if (options->letter) fprintf(out, " -s %c", options->letter);
    if (options->value) fputs(names_a_file(options->value) ? " -r -F" : " -x", out);
    if (has_choices(options)) {
      fputs(" -a '", out);
      print_spaced(options->value);
      fputc('\'', out);
    }
    fputs(" -d '", out);
    print_quoted(options->help);
    fputs("'\n", out);
  }
}

static void print_fish(void) {
  fputs("# Completion of ansatz for fish, printed by `ansatz completion fish`.\n", out);
  for (const command *const *c = commands; *c; c++) {
    if ((*c)->hidden) continue;
    fprintf(out, "complete -c ansatz -n __fish_use_subcommand -f -a %s -d '", (*c)->name);
    print_quoted((*c)->summary);
    fputs("'\n", out);
  }
  for (const command *const *c = commands; *c; c++) {
    if ((*c)->hidden) continue;
    char condition[96];
    snprintf(condition, sizeof condition, " -n '__fish_seen_subcommand_from %s'", (*c)->name);
    fish_options(condition, (*c)->options);
  }
  fish_options("", global_options);
}

static void (*script_of(const char *shell))(void) {
  if (strcmp(shell, "bash") == 0) return print_bash;
  if (strcmp(shell, "zsh") == 0) return print_zsh;
  return strcmp(shell, "fish") == 0 ? print_fish : NULL;
}

static int print_script_json(const char *shell, void (*print)(void)) {
  char *text = NULL;
  size_t length;
  out = open_memstream(&text, &length);
  if (out) print();
  bool whole = out && fclose(out) == 0;
  json_t *object = whole ? json_pack("{s:s, s:s}", "shell", shell, "script", text) : NULL;
  free(text);
  return print_json(object);
}

static int run_completion(const arguments *arguments) {
  const char *shell = arguments->operands[0];
  void (*print)(void) = script_of(shell);
  if (!print) {
    complain("completions exist for bash, zsh and fish, not for '%s'", shell);
    return EXIT_USAGE;
  }
  if (arguments->json) return print_script_json(shell, print);
  out = stdout;
  print();
  return EXIT_OK;
}

const command completion_command = {
    .name = "completion",
    .operands = "SHELL",
    .summary = "print completions for bash, zsh or fish",
    .description = "Prints a script that makes a shell complete commands, options and files. `make install` puts it "
                   "where each shell looks.",
    .examples = (const example[]){{"completion bash > ansatz.bash", "then `source ansatz.bash`"}, {0}},
    .run = run_completion,
};
