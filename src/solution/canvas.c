/* SPDX-License-Identifier: Apache-2.0 */
#include "solution/canvas.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#define FONT             "DejaVu Sans"
#define PIXELS_PER_POINT 2.0
#define PAGE_LIMIT       14400.0 /* points; what PDF viewers accept */
#define QUARTER_TURN     1.5707963267948966

struct canvas {
  cairo_surface_t *surface;
  cairo_t *cairo;
  char *path;
  bool png;
  buffer file; /* filled while the page is drawn or when it is finished */
};

/* ---- The page -------------------------------------------------------------------------------------------- */

static bool has_extension(const char *path, const char *extension) {
  size_t length = strlen(path), tail = strlen(extension);
  return length > tail && strcasecmp(path + length - tail, extension) == 0;
}

static cairo_status_t keep_bytes(void *file, const unsigned char *bytes, unsigned count) {
  buffer_bytes(file, bytes, count);
  return ((buffer *)file)->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *surface_new(const char *path, buffer *file, double width, double height) {
  if (has_extension(path, ".svg")) return cairo_svg_surface_create_for_stream(keep_bytes, file, width, height);
  if (has_extension(path, ".pdf")) return cairo_pdf_surface_create_for_stream(keep_bytes, file, width, height);
  return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * PIXELS_PER_POINT),
                                    (int)ceil(height * PIXELS_PER_POINT));
}

void canvas_drop(canvas *canvas) {
  if (!canvas) return;
  cairo_destroy(canvas->cairo);
  cairo_surface_destroy(canvas->surface);
  buffer_drop(&canvas->file);
  memory_give(canvas->path);
  memory_give(canvas);
}

static ans_status page_open(ans_context *context, canvas *canvas, const char *path, double width, double height) {
  size_t length = strlen(path) + 1;
  canvas->path = memory_take(length);
  if (!canvas->path) return context_no_memory(context);
  memcpy(canvas->path, path, length);
  canvas->png = has_extension(path, ".png");
  canvas->surface = surface_new(path, &canvas->file, width, height);
  canvas->cairo = cairo_create(canvas->surface);
  cairo_status_t status = cairo_status(canvas->cairo);
  FAIL_IF(status == CAIRO_STATUS_NO_MEMORY, context, ANS_MEMORY, "memory is exhausted");
  FAIL_IF(status != CAIRO_STATUS_SUCCESS, context, ANS_FILE, "cannot draw %s: %s", path,
          cairo_status_to_string(status));
  if (canvas->png) cairo_scale(canvas->cairo, PIXELS_PER_POINT, PIXELS_PER_POINT);
  cairo_set_source_rgb(canvas->cairo, 1, 1, 1);
  cairo_paint(canvas->cairo);
  cairo_set_line_cap(canvas->cairo, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
  return ANS_OK;
}

ans_status canvas_new(ans_context *context, const char *path, double width, double height, canvas **result) {
  *result = NULL;
  FAIL_IF(!has_extension(path, ".svg") && !has_extension(path, ".pdf") && !has_extension(path, ".png"), context,
          ANS_ARGUMENT, "%s names no kind of picture: its name should end in .svg, .pdf or .png", path);
  FAIL_IF(!(width > 0 && height > 0 && width <= PAGE_LIMIT && height <= PAGE_LIMIT), context, ANS_ARGUMENT,
          "a page of %g x %g points cannot be drawn", width, height);
  canvas *canvas = memory_take(sizeof *canvas);
  if (!canvas) return context_no_memory(context);
  ans_status status = page_open(context, canvas, path, width, height);
  if (status != ANS_OK) {
    canvas_drop(canvas);
    return status;
  }
  *result = canvas;
  return ANS_OK;
}

static cairo_status_t page_write(canvas *canvas) {
  cairo_status_t status = cairo_status(canvas->cairo);
  if (status != CAIRO_STATUS_SUCCESS) return status;
  if (canvas->png) return cairo_surface_write_to_png_stream(canvas->surface, keep_bytes, &canvas->file);
  cairo_surface_finish(canvas->surface);
  return cairo_surface_status(canvas->surface);
}

ans_status canvas_finish(ans_context *context, canvas *canvas) {
  cairo_status_t drawn = page_write(canvas);
  ans_status status;
  if (drawn == CAIRO_STATUS_SUCCESS) {
    status = file_write(context, canvas->path, canvas->file.text, canvas->file.length);
  } else {
    status = context_fail(context, drawn == CAIRO_STATUS_NO_MEMORY ? ANS_MEMORY : ANS_FILE, "cannot write %s: %s",
                          canvas->path, cairo_status_to_string(drawn));
  }
  canvas_drop(canvas);
  return status;
}

/* ---- Lines and shapes ------------------------------------------------------------------------------------ */

static void set_colour(cairo_t *cairo, colour c) { cairo_set_source_rgba(cairo, c.red, c.green, c.blue, c.alpha); }

static void stroke(cairo_t *cairo, canvas_pen pen) {
  if (pen.width > 0 && pen.colour.alpha > 0) {
    set_colour(cairo, pen.colour);
    cairo_set_line_width(cairo, pen.width);
    cairo_set_dash(cairo, &pen.dash, pen.dash > 0, 0);
    cairo_stroke(cairo);
  }
  cairo_new_path(cairo);
}

static void fill_and_stroke(cairo_t *cairo, colour fill, canvas_pen pen) {
  if (fill.alpha > 0) {
    set_colour(cairo, fill);
    cairo_fill_preserve(cairo);
  }
  stroke(cairo, pen);
}

void canvas_line(canvas *canvas, double x0, double y0, double x1, double y1, canvas_pen pen) {
  cairo_move_to(canvas->cairo, x0, y0);
  cairo_line_to(canvas->cairo, x1, y1);
  stroke(canvas->cairo, pen);
}

void canvas_polyline(canvas *canvas, int count, const double (*points)[2], canvas_pen pen) {
  bool drawing = false;
  for (int i = 0; i < count; i++) {
    bool finite = isfinite(points[i][0]) && isfinite(points[i][1]);
    if (finite && drawing) cairo_line_to(canvas->cairo, points[i][0], points[i][1]);
    if (finite && !drawing) cairo_move_to(canvas->cairo, points[i][0], points[i][1]);
    drawing = finite;
  }
  stroke(canvas->cairo, pen);
}

/* A triangle whose tip is (x, y), pointing along (dx, dy), a unit vector. */
static void draw_head(canvas *canvas, double x, double y, double dx, double dy, double length, colour colour) {
  double half = 0.38 * length, bx = x - length * dx, by = y - length * dy;
  const double corners[3][2] = {{x, y}, {bx - half * dy, by + half * dx}, {bx + half * dy, by - half * dx}};
  canvas_polygon(canvas, 3, corners, colour, (canvas_pen){0});
}

void canvas_curve(canvas *canvas, double x0, double y0, double x1, double y1, double head, canvas_pen pen) {
  double end = x1 - 0.8 * head, reach = 0.45 * (end - x0);
  cairo_move_to(canvas->cairo, x0, y0);
  cairo_curve_to(canvas->cairo, x0 + reach, y0, end - reach, y1, end, y1);
  stroke(canvas->cairo, pen);
  if (head > 0) draw_head(canvas, x1, y1, 1, 0, head, pen.colour);
}

void canvas_arrow(canvas *canvas, double x0, double y0, double x1, double y1, double head, canvas_pen pen) {
  double length = hypot(x1 - x0, y1 - y0);
  if (!(length > 0)) return;
  double dx = (x1 - x0) / length, dy = (y1 - y0) / length;
  canvas_line(canvas, x0, y0, x1 - 0.8 * head * dx, y1 - 0.8 * head * dy, pen);
  if (head > 0) draw_head(canvas, x1, y1, dx, dy, head, pen.colour);
}

void canvas_box(canvas *canvas, double x, double y, double width, double height, double radius, colour fill,
                canvas_pen pen) {
  cairo_t *cairo = canvas->cairo;
  double r = fmin(radius, fmin(width, height) / 2);
  if (r > 0) {
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, x + width - r, y + r, r, -QUARTER_TURN, 0);
    cairo_arc(cairo, x + width - r, y + height - r, r, 0, QUARTER_TURN);
    cairo_arc(cairo, x + r, y + height - r, r, QUARTER_TURN, 2 * QUARTER_TURN);
    cairo_arc(cairo, x + r, y + r, r, 2 * QUARTER_TURN, 3 * QUARTER_TURN);
    cairo_close_path(cairo);
  } else {
    cairo_rectangle(cairo, x, y, width, height);
  }
  fill_and_stroke(cairo, fill, pen);
}

void canvas_circle(canvas *canvas, double x, double y, double radius, colour fill, canvas_pen pen) {
  cairo_new_sub_path(canvas->cairo);
  cairo_arc(canvas->cairo, x, y, radius, 0, 4 * QUARTER_TURN);
  fill_and_stroke(canvas->cairo, fill, pen);
}

void canvas_polygon(canvas *canvas, int count, const double (*points)[2], colour fill, canvas_pen pen) {
  for (int i = 0; i < count; i++) cairo_line_to(canvas->cairo, points[i][0], points[i][1]);
  cairo_close_path(canvas->cairo);
  fill_and_stroke(canvas->cairo, fill, pen);
}

void canvas_clip(canvas *canvas, double x, double y, double width, double height) {
  cairo_save(canvas->cairo);
  cairo_rectangle(canvas->cairo, x, y, width, height);
  cairo_clip(canvas->cairo);
}

void canvas_unclip(canvas *canvas) { cairo_restore(canvas->cairo); }

/* ---- Images ---------------------------------------------------------------------------------------------- */

static void copy_pixels(cairo_surface_t *image, int columns, int rows, const uint8_t *rgb) {
  cairo_surface_flush(image);
  unsigned char *data = cairo_image_surface_get_data(image);
  size_t stride = (size_t)cairo_image_surface_get_stride(image);
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      const uint8_t *from = rgb + 3 * ((size_t)row * (size_t)columns + (size_t)column);
      uint32_t pixel = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
      memcpy(data + (size_t)row * stride + 4 * (size_t)column, &pixel, sizeof pixel);
    }
  cairo_surface_mark_dirty(image);
}

void canvas_image(canvas *canvas, double x, double y, double width, double height, int columns, int rows,
                  const uint8_t *rgb, bool smooth) {
  if (columns < 1 || rows < 1) return;
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows);
  if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) copy_pixels(image, columns, rows, rgb);
  cairo_save(canvas->cairo);
  cairo_rectangle(canvas->cairo, x, y, width, height);
  cairo_clip(canvas->cairo);
  cairo_translate(canvas->cairo, x, y);
  cairo_scale(canvas->cairo, width / columns, height / rows);
  cairo_set_source_surface(canvas->cairo, image, 0, 0); /* carries the image's failure over to the canvas */
  cairo_pattern_set_filter(cairo_get_source(canvas->cairo), smooth ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
  cairo_pattern_set_extend(cairo_get_source(canvas->cairo), CAIRO_EXTEND_PAD); /* no pale rim when smoothed */
  cairo_paint(canvas->cairo);
  cairo_restore(canvas->cairo);
  cairo_surface_destroy(image);
}

/* ---- Text ------------------------------------------------------------------------------------------------ */

enum { PIECE_BYTES = 256 };

/* A run of text set at one size and height. */
typedef struct piece {
  char text[PIECE_BYTES];
  int level; /* -1 subscript, 0, 1 superscript */
} piece;

static size_t mark_length(const char *text) {
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || ((unsigned char)text[length] & 0x80))
    length++; /* Greek is letters too */
  return length;
}

/* The largest number of bytes, at most `limit`, after which a UTF-8 character ends. */
static size_t whole_characters(const char *text, size_t limit) {
  while (limit > 1 && ((unsigned char)text[limit] & 0xC0) == 0x80) limit--;
  return limit;
}

/* Bytes of the UTF-8 character that begins here; 0 if there is none. */
static size_t character_length(const char *text) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char first = (unsigned char)*text;
  size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;
  if (length < 2) return length;
  uint32_t character = first & (0x7Fu >> length);
  for (size_t i = 1; i < length; i++) {
    if (((unsigned char)text[i] & 0xC0) != 0x80) return 0;
    character = character << 6 | ((unsigned char)text[i] & 0x3F);
  }
  bool surrogate = character >= 0xD800 && character < 0xE000;
  return character < least[length] || surrogate || character > 0x10FFFF ? 0 : length;
}

/* A file's name may hold any bytes, and cairo draws nothing more after one that is not UTF-8. */
static void replace_bad_bytes(char *text) {
  for (size_t length; *text; text += length) {
    length = character_length(text);
    if (length > 0) continue;
    *text = '?';
    length = 1;
  }
}

/* Takes the next run from *text into `run`; false at the end. */
static bool next_piece(const char **text, bool marks, piece *run) {
  const char *start = *text, *end;
  if (!*start) return false;
  run->level = 0;
  size_t marked = marks && (*start == '_' || *start == '^') ? mark_length(start + 1) : 0;
  const char *brace = marks && (*start == '_' || *start == '^') && start[1] == '{' ? strchr(start, '}') : NULL;
  if (marked || brace) {
    run->level = *start == '_' ? -1 : 1;
    start += brace ? 2 : 1;
    end = brace ? brace : start + marked;
    *text = brace ? brace + 1 : end;
  } else {
    end = start + 1 + (marks ? strcspn(start + 1, "_^") : strlen(start + 1));
    if (end - start >= PIECE_BYTES) end = start + whole_characters(start, PIECE_BYTES - 1);
    *text = end;
  }
  snprintf(run->text, sizeof run->text, "%.*s", (int)(end - start), start);
  replace_bad_bytes(run->text);
  return true;
}

static void set_type(cairo_t *cairo, canvas_type type, int level) {
  cairo_select_font_face(cairo, FONT, type.italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                         type.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, level ? 0.72 * type.size : type.size);
}

static double advance(cairo_t *cairo, const char *text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, text, &extents);
  return extents.x_advance;
}

static double text_width(cairo_t *cairo, const char *text, canvas_type type) {
  double width = 0;
  for (piece run; next_piece(&text, type.marks, &run);) {
    set_type(cairo, type, run.level);
    width += advance(cairo, run.text);
  }
  return width;
}

double canvas_text_width(canvas *canvas, const char *text, canvas_type type) {
  return text_width(canvas->cairo, text, type);
}

double canvas_type_width(const char *text, canvas_type type) {
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
  cairo_t *cairo = cairo_create(surface);
  double width = text_width(cairo, text, type);
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
  return width;
}

void canvas_text(canvas *canvas, double x, double y, const char *text, canvas_type type) {
  cairo_t *cairo = canvas->cairo;
  double width = canvas_text_width(canvas, text, type);
  double place = type.anchor == CANVAS_LEFT ? 0 : type.anchor == CANVAS_RIGHT ? -width : -width / 2;
  cairo_save(cairo);
  cairo_translate(cairo, x, y);
  cairo_rotate(cairo, -type.rotation * QUARTER_TURN / 90);
  set_colour(cairo, type.colour);
  for (piece run; next_piece(&text, type.marks, &run);) {
    set_type(cairo, type, run.level);
    /* Capital letters are 0.73 of the size high: half of that below the middle line is their base line. */
    cairo_move_to(cairo, place, (0.365 - 0.38 * (run.level > 0) + 0.2 * (run.level < 0)) * type.size);
    cairo_show_text(cairo, run.text);
    place += advance(cairo, run.text);
  }
  cairo_restore(cairo);
}
