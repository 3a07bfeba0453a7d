/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <unistd.h>

#include <cairo.h>

#include "solution/canvas.h"
#include "solution/field_map.h"

static char directory[] = "/tmp/ansatz_canvas_XXXXXX";

static char *in_directory(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static int make_directory(void **state) {
  (void)state;
  return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
  (void)state;
  return rmdir(directory); /* fails, and with it the test, when a temporary file was left behind */
}

/* One of everything. */
static void draw(canvas *canvas) {
  const canvas_pen pen = {colour_category(0), 1, 0};
  const double points[4][2] = {{10, 90}, {20, NAN}, {30, 80}, {40, 90}};
  const uint8_t pixels[2][3] = {{255, 0, 0}, {0, 0, 255}};
  canvas_line(canvas, 0, 0, 10, 10, pen);
  canvas_polyline(canvas, 4, points, pen);
  canvas_curve(canvas, 10, 40, 50, 60, 5, pen);
  canvas_arrow(canvas, 10, 40, 50, 60, 5, pen);
  canvas_box(canvas, 60, 60, 20, 10, 3, colour_category(1), pen);
  canvas_circle(canvas, 90, 90, 5, colour_category(2), pen);
  canvas_image(canvas, 0, 20, 40, 10, 2, 1, &pixels[0][0], false);
  canvas_clip(canvas, 50, 0, 10, 10);
  canvas_box(canvas, 0, 0, 100, 100, 0, colour_grey(0), (canvas_pen){0});
  canvas_unclip(canvas);
  canvas_text(canvas, 50, 50, "u_xx + 10^{-3} u^2", (canvas_type){.size = 8, .colour = colour_grey(0), .marks = true});
}

static void every_kind_of_file_is_written_whole(void **state) {
  (void)state;
  ans_context *context = new_context();
  static const char *const names[] = {"a.svg", "a.pdf", "a.PNG"}, *const starts[] = {"<?xml", "%PDF-", "\x89PNG"};
  for (int i = 0; i < 3; i++) {
    canvas *canvas;
    char *bytes;
    size_t size;
    assert_ok(context, canvas_new(context, in_directory(names[i]), 100, 100, &canvas));
    draw(canvas);
    assert_int_not_equal(access(in_directory(names[i]), F_OK), 0); /* nothing yet under its name */
    assert_ok(context, canvas_finish(context, canvas));
    const char *path = in_directory(names[i]);
    assert_ok(context, file_read(context, path, 1 << 20, &bytes, &size));
    assert_memory_equal(bytes, starts[i], strlen(starts[i]));
    memory_give(bytes);
    unlink(path);
  }
  ans_context_free(context);
}

static uint32_t pixel_at(cairo_surface_t *image, int x, int y) {
  uint32_t pixel;
  const unsigned char *data = cairo_image_surface_get_data(image);
  memcpy(&pixel, data + y * cairo_image_surface_get_stride(image) + 4 * x, sizeof pixel);
  return pixel & 0xFFFFFF;
}

static void shapes_land_where_they_should(void **state) {
  (void)state;
  ans_context *context = new_context();
  canvas *canvas;
  assert_ok(context, canvas_new(context, in_directory("b.png"), 100, 100, &canvas));
  draw(canvas);
  assert_ok(context, canvas_finish(context, canvas));
  cairo_surface_t *image = cairo_image_surface_create_from_png(in_directory("b.png"));
  assert_int_equal(cairo_image_surface_get_width(image), 200);
  assert_int_equal(pixel_at(image, 20, 50), 0xFF0000);   /* left half of the image */
  assert_int_equal(pixel_at(image, 60, 50), 0x0000FF);   /* right half */
  assert_int_equal(pixel_at(image, 110, 10), 0x000000);  /* inside the clip */
  assert_int_equal(pixel_at(image, 130, 10), 0xFFFFFF);  /* outside it */
  assert_int_equal(pixel_at(image, 140, 130), 0xD55E00); /* the box */
  cairo_surface_destroy(image);
  unlink(in_directory("b.png"));
  ans_context_free(context);
}

/* Pixels are half a point: twice the coordinates. A point that is not finite divides a line. */
static void lines_go_through_their_points(void **state) {
  (void)state;
  ans_context *context = new_context();
  const canvas_pen pen = {colour_grey(0), 4, 0};
  const double points[6][2] = {{10, 30}, {50, 30}, {50, 60}, {NAN, 60}, {60, 90}, {90, 90}};
  canvas *canvas;
  assert_ok(context, canvas_new(context, in_directory("l.png"), 100, 100, &canvas));
  canvas_line(canvas, 10, 10, 90, 10, pen);
  canvas_polyline(canvas, 6, points, pen);
  canvas_circle(canvas, 80, 40, 8, colour_category(1), pen);
  canvas_curve(canvas, 10, 80, 40, 80, 10, pen); /* its head ends at 40 */
  assert_ok(context, canvas_finish(context, canvas));
  cairo_surface_t *image = cairo_image_surface_create_from_png(in_directory("l.png"));
  const int dark[][2] = {{15, 10}, {85, 10}, {30, 30}, {50, 45}, {75, 90}, {88, 40}, {80, 32}, {15, 80}, {34, 80}};
  const int light[][2] = {{5, 10}, {50, 15}, {30, 45}, {55, 75}, {50, 75}, {70, 75}, {30, 60}, {95, 40}, {43, 80}};
  for (size_t i = 0; i < sizeof dark / sizeof *dark; i++)
    assert_int_equal(pixel_at(image, 2 * dark[i][0], 2 * dark[i][1]), 0x000000);
  for (size_t i = 0; i < sizeof light / sizeof *light; i++)
    assert_int_equal(pixel_at(image, 2 * light[i][0], 2 * light[i][1]), 0xFFFFFF);
  assert_int_equal(pixel_at(image, 160, 80), 0xD55E00); /* the middle of the circle */
  cairo_surface_destroy(image);
  unlink(in_directory("l.png"));
  ans_context_free(context);
}

static void marks_narrow_the_text(void **state) {
  (void)state;
  ans_context *context = new_context();
  canvas *canvas;
  assert_ok(context, canvas_new(context, in_directory("c.svg"), 100, 100, &canvas));
  canvas_type plain = {.size = 10}, marked = {.size = 10, .marks = true};
  assert_true(canvas_text_width(canvas, "u_xx", marked) < canvas_text_width(canvas, "uxx", plain));
  assert_near(canvas_text_width(canvas, "u_{xx}", marked), canvas_text_width(canvas, "u_xx", marked), 1e-9);
  assert_near(canvas_text_width(canvas, "u_", marked), canvas_text_width(canvas, "u_", plain), 1e-9);
  char text[2001] = {0};
  for (int i = 0; i < 1000; i++) memcpy(text + 2 * i, "\xCE\xB5", 2); /* two bytes each: no cut inside a letter */
  double one = canvas_text_width(canvas, "\xCE\xB5", plain);
  assert_near(canvas_text_width(canvas, text, plain), 1000 * one, 1e-3 * 1000 * one);
  canvas_drop(canvas);
  ans_context_free(context);
}

static void bad_pages_are_refused(void **state) {
  (void)state;
  ans_context *context = new_context();
  canvas *canvas;
  assert_int_equal(canvas_new(context, in_directory("a.gif"), 100, 100, &canvas), ANS_ARGUMENT);
  assert_int_equal(canvas_new(context, ".png", 100, 100, &canvas), ANS_ARGUMENT);
  assert_int_equal(canvas_new(context, in_directory("a.png"), 0, 100, &canvas), ANS_ARGUMENT);
  assert_int_equal(canvas_new(context, in_directory("a.png"), NAN, 100, &canvas), ANS_ARGUMENT);
  assert_null(canvas);
  assert_ok(context, canvas_new(context, in_directory("none/a.png"), 100, 100, &canvas));
  assert_int_equal(canvas_finish(context, canvas), ANS_FILE);
  for (long n = 1; n <= 2; n++) {
    memory_fail_after(n, false);
    assert_int_equal(canvas_new(context, in_directory("a.png"), 100, 100, &canvas), ANS_MEMORY);
    memory_fail_after(0, false);
    assert_null(canvas);
  }
  static const char *const names[] = {"a.png", "a.svg", "a.pdf"};
  for (int i = 0; i < 3; i++) {
    assert_ok(context, canvas_new(context, in_directory(names[i]), 100, 100, &canvas));
    memory_fail_after(1, true);
    assert_int_equal(canvas_finish(context, canvas), ANS_MEMORY);
    memory_fail_after(0, false);
    assert_int_not_equal(access(in_directory(names[i]), F_OK), 0);
  }
  ans_context_free(context);
}

/* Relative luminance of an sRGB colour. */
static double luminance(colour c) {
  const double parts[3] = {c.red, c.green, c.blue}, weights[3] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += weights[i] * pow(parts[i], 2.2);
  return sum;
}

static void lightness_of_the_maps_is_monotone(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    double low = i / 100.0, high = (i + 1) / 100.0;
    assert_true(luminance(colour_at(COLOUR_PERCEPTUAL, low)) < luminance(colour_at(COLOUR_PERCEPTUAL, high)));
    assert_true(luminance(colour_at(COLOUR_HEAT, low)) > luminance(colour_at(COLOUR_HEAT, high)));
    bool rising = luminance(colour_at(COLOUR_DIVERGING, low)) < luminance(colour_at(COLOUR_DIVERGING, high));
    assert_int_equal(rising, i < 50);
  }
  assert_true(colour_at(COLOUR_RAINBOW, 0).blue == 0.5 && colour_at(COLOUR_RAINBOW, 1).red == 0.5);
  assert_true(colour_at(COLOUR_PERCEPTUAL, 7).green == colour_at(COLOUR_PERCEPTUAL, 1).green);
  colour none = colour_at(COLOUR_PERCEPTUAL, NAN);
  assert_true(none.red == none.green && none.green == none.blue);
}

/* Five places of every map, as bytes: figures look the same from one version to the next. */
static void maps_have_their_colours(void **state) {
  (void)state;
  static const uint8_t expected[4][5][3] = {
      {{48, 8, 84}, {60, 78, 140}, {42, 144, 149}, {107, 202, 116}, {252, 237, 62}},
      {{18, 60, 140}, {106, 156, 212}, {245, 245, 245}, {218, 120, 111}, {136, 12, 23}},
      {{250, 250, 250}, {249, 197, 161}, {227, 127, 93}, {171, 55, 45}, {77, 14, 15}},
      {{0, 0, 128}, {0, 128, 255}, {128, 255, 128}, {255, 128, 0}, {128, 0, 0}}};
  for (int map = COLOUR_PERCEPTUAL; map <= COLOUR_RAINBOW; map++)
    for (int i = 0; i < 5; i++) {
      uint8_t rgb[3];
      colour_bytes(colour_at((colour_map)map, 0.25 * i), rgb);
      assert_memory_equal(rgb, expected[map][i], 3);
    }
}

/* Values that grow along the first axis, which is drawn from left to right, and the second, from below. */
static void a_map_is_drawn_over_its_whole_range(void **state) {
  (void)state;
  ans_context *context = new_context();
  const double nodes[4] = {0, 1, 2, 3};
  double along[4][4], up[4][4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) along[i][j] = i, up[i][j] = j;
  for (int turn = 0; turn < 2; turn++) {
    canvas *canvas;
    field_map map = {turn ? up[0] : along[0], NULL, 4, 4, nodes, nodes, "t", "x"};
    assert_ok(context, canvas_new(context, in_directory("m.png"), 140, 140, &canvas));
    assert_ok(context,
              field_map_draw(context, canvas, &map, field_map_scale(&map, NULL, false), 20, 20, 100, 100, "", true));
    assert_ok(context, canvas_finish(context, canvas));
    cairo_surface_t *image = cairo_image_surface_create_from_png(in_directory("m.png"));
    unlink(in_directory("m.png"));
    for (int i = 1; i < 20; i++) {
      uint8_t rgb[3];
      colour_bytes(colour_at(COLOUR_PERCEPTUAL, i / 20.0), rgb);
      uint32_t pixel = turn ? pixel_at(image, 140, 240 - 10 * i) : pixel_at(image, 40 + 10 * i, 140);
      for (int part = 0; part < 3; part++) assert_true(abs((int)(pixel >> (16 - 8 * part) & 255) - rgb[part]) <= 4);
    }
    cairo_surface_destroy(image);
  }
  ans_context_free(context);
}

static void maps_are_found_by_name(void **state) {
  (void)state;
  colour_map map;
  for (int i = COLOUR_PERCEPTUAL; i <= COLOUR_RAINBOW; i++) {
    assert_true(colour_map_parse(colour_map_name((colour_map)i), &map));
    assert_int_equal(map, i);
  }
  assert_false(colour_map_parse("jet", &map));
  colour same = colour_mix(colour_category(1), colour_category(1), 0.3);
  assert_near(same.green, colour_category(1).green, 1e-6);
  uint8_t rgb[3];
  colour_bytes(colour_category(1), rgb);
  assert_int_equal(rgb[1], 94);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_of_file_is_written_whole),
                                     cmocka_unit_test(shapes_land_where_they_should),
                                     cmocka_unit_test(lines_go_through_their_points),
                                     cmocka_unit_test(marks_narrow_the_text),
                                     cmocka_unit_test(bad_pages_are_refused),
                                     cmocka_unit_test(lightness_of_the_maps_is_monotone),
                                     cmocka_unit_test(maps_have_their_colours),
                                     cmocka_unit_test(a_map_is_drawn_over_its_whole_range),
                                     cmocka_unit_test(maps_are_found_by_name)};
  return cmocka_run_group_tests_name("canvas", tests, make_directory, remove_directory);
}
