/* SPDX-License-Identifier: Apache-2.0
 *
 * colour.h - colours and colour maps.
 *
 * The perceptual and diverging maps are straight lines between a few table entries in OKLab, a space in which
 * equal distances look equally large: lightness grows evenly, so the maps read in grey print and for colour-blind eyes.
 */
#ifndef SOLUTION_COLOUR_H
#define SOLUTION_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

/* sRGB, each in [0, 1]; alpha 0 is invisible. */
typedef struct colour {
  double red, green, blue, alpha;
} colour;

typedef enum colour_map {
  COLOUR_PERCEPTUAL, /* dark violet, blue, green, yellow: magnitudes */
  COLOUR_DIVERGING,  /* blue, white, red: signed values, white in the middle */
  COLOUR_HEAT,       /* white to dark red: errors, white is none */
  COLOUR_RAINBOW     /* blue, cyan, yellow, red: as in older publications; misleads, kept for comparison */
} colour_map;

/* value in [0, 1], clamped; NaN gives grey. */
colour colour_at(colour_map map, double value);
void colour_bytes(colour colour, uint8_t rgb[3]);

const char *colour_map_name(colour_map map);
bool colour_map_parse(const char *name, colour_map *map); /* "perceptual", "diverging", "heat", "rainbow" */

/* Eight colours that stay apart for colour-blind eyes (Okabe and Ito, 2008), black last; taken modulo eight. */
colour colour_category(int index);

colour colour_grey(double lightness);               /* 0 black, 1 white */
colour colour_mix(colour a, colour b, double part); /* (1 - part) a + part b, in OKLab */

#endif
