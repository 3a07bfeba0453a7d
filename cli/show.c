/* SPDX-License-Identifier: Apache-2.0
 *
 * show.c - `ansatz show`: what the program understood of a problem file, in words, numbers or as a picture.
 */
#include "show.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ansatz_tools.h"
#include "options.h"
#include "output.h"
#include "problem_file.h"

/* In the order of the choices of --as. */
enum { AS_TEXT, AS_JSON, AS_DOT, AS_SVG, AS_PNG, AS_PDF };
static const char formats[] = "text|json|dot|svg|png|pdf";

/* ---- Where it goes ----------------------------------------------------------------------------------- */

/* The form: as asked, else by the file's extension, else text. -1: they contradict, which was reported. */
static int format_of(const arguments *arguments, const char *path) {
  int asked = arguments->json ? AS_JSON : option_choice(arguments, "as");
  const char *dot = path ? strrchr(path, '.') : NULL;
  int named = -1, length;
  const char *word;
  for (int i = 0; dot && (word = list_word(formats, '|', i, &length)); i++)
    if (strlen(dot + 1) == (size_t)length && strncasecmp(dot + 1, word, (size_t)length) == 0) named = i;
  const char *as = option_value(arguments, "as");
  if (arguments->json && (as ? strcmp(as, "json") != 0 : named >= AS_DOT)) {
    complain("--json cannot be combined with %s%s", as ? "--as " : "--output ", as ? as : path);
    return -1;
  }
  if (asked >= AS_SVG && path && named != asked) {
    complain("--as %s and --output %s do not match: give the file the extension .%s", as, path, as);
    return -1;
  }
  return asked >= 0 ? asked : named >= 0 ? named : AS_TEXT;
}

static int finish(ans_context *context, ans_status status) {
  return status == ANS_OK ? EXIT_OK : report_failure(context, status);
}

static ans_status deliver(ans_context *context, const char *path, const char *bytes, size_t size) {
  if (path) return ans_file_write(context, path, bytes, size);
  fwrite(bytes, 1, size, stdout);
  return ANS_OK;
}

/* Text that is whole before any of it is written. */
static ans_status print_in_memory(ans_context *context, const shown *shown, int format, char **text, size_t *size) {
  *text = NULL;
  FILE *stream = open_memstream(text, size);
  if (!stream) return ANS_MEMORY;
  ans_status status = format == AS_JSON ? show_json(context, shown, stream) : show_text(context, shown, stream);
  if (fclose(stream) != 0 && status == ANS_OK) status = ANS_MEMORY;
  return status;
}

static ans_status show_as_text(ans_context *context, const shown *shown, int format, const char *path) {
  char *text;
  size_t size;
  ans_status status = print_in_memory(context, shown, format, &text, &size);
  if (status == ANS_OK) status = deliver(context, path, text, size);
  free(text);
  return status;
}

static ans_status show_as_dot(ans_context *context, const shown *shown, const char *path) {
  char *text;
  ans_status status = ans_graph_print_dot(context, shown->graph, shown->instance, &text);
  if (status == ANS_OK) status = deliver(context, path, text, strlen(text));
  ans_free(text);
  return status;
}

/* ---- The command ------------------------------------------------------------------------------------- */

static int print(ans_context *context, const arguments *arguments, const shown *shown) {
  const char *path = option_value(arguments, "output");
  int format = format_of(arguments, path);
  if (format < 0) return EXIT_USAGE;
  int length;
  const char *word = list_word(formats, '|', format, &length);
  char extension[8];
  snprintf(extension, sizeof extension, "%.*s", length, word);
  if (format >= AS_DOT && shown->descriptor) {
    complain("--descriptor has no effect on a picture of the graph; leave it out");
    return EXIT_USAGE;
  }
  if (format >= AS_SVG) return show_picture(context, shown, extension, path);
  return finish(context,
                format == AS_DOT ? show_as_dot(context, shown, path) : show_as_text(context, shown, format, path));
}

static ans_status prepare(ans_context *context, const arguments *arguments, shown *shown) {
  ans_choice choice = ANS_CHOICE_DEFAULT;
  choice.case_name = option_value(arguments, "case");
  choice.structure = option_value(arguments, "structure");
  choice.assignments = option_value(arguments, "set");
  choice.outside = option_value(arguments, "outside") != NULL;
  shown->by_default = !choice.case_name && !choice.structure && !choice.assignments;
  choice.fill = shown->by_default || choice.structure;
  ans_status status = problem_open(context, shown->path, &shown->problem);
  if (status == ANS_OK) status = ans_instance_new(context, shown->problem, choice, &shown->instance);
  if (status == ANS_OK) status = ans_graph_new(context, shown->instance, &shown->graph);
  if (status != ANS_OK) return status;
  shown->case_name = shown->by_default ? ans_problem_name(shown->problem, ANS_CASES, 0) : choice.case_name;
  return ANS_OK;
}

static int run_show(const arguments *arguments) {
  ans_context *context;
  if (ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  shown shown = {.path = arguments->operands[0], .descriptor = option_value(arguments, "descriptor")};
  ans_status status = prepare(context, arguments, &shown);
  int code = status == ANS_OK ? print(context, arguments, &shown) : report_failure(context, status);
  ans_graph_free(shown.graph);
  ans_instance_free(shown.instance);
  ans_problem_free(shown.problem);
  ans_context_free(context);
  return code;
}

const command show_command = {
    .name = "show",
    .operands = "FILE",
    .summary = "show what the program understood of a problem file",
    .description = "Reads a family of equations and shows how the program understood it: coordinates, fields, "
                   "equations multiplied out into terms, conditions, structures and cases; then one member with its "
                   "coefficients and the operator graph that describes it. FILE is a path, the name of a shipped "
                   "family (fisher), or - for standard input. Without --case, --structure or --set the member is the "
                   "first case or, when the file has none, the first structure with every coefficient in the middle "
                   "of its range.",
    .options =
        (const option[]){
            {"case", 0, "NAME", "show this case of the file"},
            {"structure", 0, "NAME",
             "show this structure; coefficients without a value take the middle of their range"},
            {"set", 0, "NAME=VALUE,...", "set coefficients; without --structure, the structure that has exactly these"},
            {"outside", 0, NULL, "accept values outside the file's ranges"},
            {"as", 0, formats, "how to show it (default: by the extension of --output, else text)"},
            {"output", 'o', "PATH", "write to this file instead of standard output"},
            {"descriptor", 0, "graph|set|ownership|vector|presence|dictionary", "print this descriptor's numbers too"},
            {0},
        },
    .rules = (const option_rule[]){{"outside", "set", NULL}, {0}},
    .examples =
        (const example[]){
            {"show families/fisher.pde --case H1", "what the program understood, with H1's numbers"},
            {"show families/fisher.pde --case H1 --as svg -o graph.svg", "the operator graph as a picture"},
            {"show families/cdr.pde --set a=3,r=2 --json", "advection and reaction, as JSON"},
            {0}},
    .run = run_show,
};
