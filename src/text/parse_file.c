/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_file.c - a text and the files it includes become one list of statements.
 *
 * An included file is looked up beside the file that names it. Files being read form a chain; meeting one
 * of them again is a cycle.
 */
#include <stdio.h>
#include <string.h>

#include "text/parser.h"

typedef struct open_file {
  const char *path; /* as it is opened; NULL for a text in memory */
  const char *directory;
  const struct open_file *includer;
  int depth;
  int *file_count; /* read so far, in the whole problem */
} open_file;

static ans_status parse_source(ans_context *context, arena *arena, const open_file *file, const char *name,
                               const char *source, size_t length, syntax_statement **statements);

/* A copy that ends with NUL and lives as long as the places that point into it. */
static ans_status keep_source(ans_context *context, arena *arena, const char *name, const char *text, size_t length,
                              const char **source) {
  text_place nowhere = {.file = name};
  if (length > TEXT_MAX_BYTES)
    return context_fail_at(context, ANS_UNSUPPORTED, nowhere, "the text has %zu bytes; at most %d are read", length,
                           (int)TEXT_MAX_BYTES);
  *source = arena_string(arena, text, length);
  if (!*source) return context_no_memory(context);
  return text_check(context, arena, name, *source, length);
}

static ans_status join(ans_context *context, arena *arena, const char *directory, const char *name, char **path) {
  bool absolute = name[0] == '/';
  size_t room = strlen(directory) + strlen(name) + 2;
  *path = arena_take(arena, room);
  if (!*path) return context_no_memory(context);
  if (absolute || !*directory)
    snprintf(*path, room, "%s", name);
  else
    snprintf(*path, room, "%s/%s", directory, name);
  return ANS_OK;
}

static ans_status directory_of(ans_context *context, arena *arena, const char *path, const char **directory) {
  const char *slash = strrchr(path, '/');
  *directory = slash ? arena_string(arena, path, slash == path ? 1 : (size_t)(slash - path)) : "";
  return *directory ? ANS_OK : context_no_memory(context);
}

static ans_status refuse_cycle(ans_context *context, const open_file *file, const syntax_word *name, const char *path) {
  for (const open_file *open = file; open; open = open->includer)
    if (open->path && strcmp(open->path, path) == 0)
      return context_fail_at(context, ANS_MEANING, name->place, "'%s' includes itself", name->text);
  if (file->depth >= TEXT_MAX_INCLUDES)
    return context_fail_at(context, ANS_UNSUPPORTED, name->place, "files include each other more than %d deep",
                           TEXT_MAX_INCLUDES);
  if (++*file->file_count > TEXT_MAX_FILES)
    return context_fail_at(context, ANS_UNSUPPORTED, name->place, "a problem includes at most %d files",
                           TEXT_MAX_FILES);
  return ANS_OK;
}

static ans_status read_included(ans_context *context, arena *arena, const syntax_word *name, const char *path,
                                char **bytes, size_t *length) {
  ans_status status = file_read(context, path, TEXT_MAX_BYTES, bytes, length);
  if (status != ANS_FILE) return status;
  /* The message says why; the place says which statement asked. */
  char *reason =
      arena_string(arena, ans_context_diagnostic(context)->message, strlen(ans_context_diagnostic(context)->message));
  if (!reason) return context_no_memory(context);
  return context_fail_at(context, ANS_FILE, name->place, "%s", reason);
}

static ans_status expand_include(ans_context *context, arena *arena, const open_file *file, const syntax_word *name,
                                 syntax_statement **statements) {
  if (!file->directory)
    return context_fail_at(context, ANS_MEANING, name->place,
                           "a text that was not read from a file cannot include one");
  char *path;
  TRY(join(context, arena, file->directory, name->text, &path));
  TRY(refuse_cycle(context, file, name, path));
  open_file inner = {.path = path, .includer = file, .depth = file->depth + 1, .file_count = file->file_count};
  TRY(directory_of(context, arena, path, &inner.directory));
  char *bytes;
  size_t length;
  TRY(read_included(context, arena, name, path, &bytes, &length));
  ans_status status = parse_source(context, arena, &inner, path, bytes, length, statements);
  memory_give(bytes);
  for (syntax_statement *s = *statements; s && status == ANS_OK; s = s->next) s->included = true;
  return status;
}

/* Puts the statements of each included file, in which nothing is left to include, in the place of its include. */
static ans_status expand_includes(ans_context *context, arena *arena, const open_file *file, syntax_statement **list) {
  while (*list) {
    syntax_statement *statement = *list, *included = NULL;
    if (statement->kind != STATEMENT_INCLUDE) {
      list = &statement->next;
      continue;
    }
    TRY(expand_include(context, arena, file, &statement->name, &included));
    syntax_statement **end = &included;
    while (*end) end = &(*end)->next;
    *end = statement->next;
    *list = included;
  }
  return ANS_OK;
}

static ans_status parse_source(ans_context *context, arena *arena, const open_file *file, const char *name,
                               const char *text, size_t length, syntax_statement **statements) {
  *statements = NULL;
  const char *source = NULL;
  TRY(keep_source(context, arena, name, text, length, &source));
  parser parser = {.context = context, .arena = arena, .end = statements};
  TRY(lexer_open(context, name, source, length, &parser.tokens));
  while (parser.tokens.current.kind != TOKEN_END) TRY(parser_statement(&parser));
  return expand_includes(context, arena, file, statements);
}

ans_status text_parse(ans_context *context, arena *arena, const char *name, const char *directory, const char *text,
                      size_t length, syntax_statement **statements) {
  *statements = NULL;
  int file_count = 0;
  open_file file = {.directory = directory, .file_count = &file_count};
  char *kept = arena_string(arena, name, strlen(name)), *path = NULL;
  if (!kept) return context_no_memory(context);
  const char *slash = strrchr(name, '/');
  if (directory) TRY(join(context, arena, directory, slash ? slash + 1 : name, &path));
  file.path = path;
  return parse_source(context, arena, &file, kept, text, length, statements);
}
