/* SPDX-License-Identifier: Apache-2.0
 *
 * study.c - the declaration of the study: one arm per line,
 *
 *   NAME FILE|MODEL adam|gauss_newton MEMBERS STEPS,STEPS,...
 *   NAME FILE|MODEL tolerance MEMBERS TOLERANCE,TOLERANCE,...
 *
 * with the program's own choice of method in the second form. '#' begins a comment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trust.h"

static bool read_method(const char *word, arm *arm) {
  arm->tolerance = strcmp(word, "tolerance") == 0;
  arm->method = strcmp(word, "adam") == 0           ? ANS_ADAM
                : strcmp(word, "gauss_newton") == 0 ? ANS_GAUSS_NEWTON
                                                    : ANS_METHOD_AUTOMATIC;
  return arm->tolerance || arm->method != ANS_METHOD_AUTOMATIC;
}

static bool read_looks(char *list, arm *arm) {
  char *rest;
  for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    double look = atof(word);
    if (arm->look_count == ARM_LOOKS || !(look > 0)) return false;
    arm->looks[arm->look_count++] = look;
  }
  return arm->look_count > 0;
}

static bool read_arm(const char *line, arm *arm) {
  char method[16], looks[128];
  return sscanf(line, "%47s %127s %15s %ld %127s", arm->name, arm->path, method, &arm->members, looks) == 5 &&
         read_method(method, arm) && read_looks(looks, arm) && arm->members > 0;
}

int study_read(const char *path, arm **arms) {
  char line[512];
  int count = 0, number = 0;
  FILE *file = fopen(path, "r");
  *arms = NULL;
  if (!file) fprintf(stderr, "trust: %s cannot be read\n", path);
  while (file && fgets(line, sizeof line, file)) {
    number++;
    line[strcspn(line, "#\n")] = 0;
    if (strspn(line, " \t") == strlen(line)) continue;
    arm *more = realloc(*arms, (size_t)(count + 1) * sizeof **arms);
    if (more) *arms = more;
    if (more) (*arms)[count] = (arm){0};
    if (!more || !read_arm(line, &(*arms)[count])) {
      fprintf(stderr, "trust: %s:%d is not NAME FILE METHOD MEMBERS LOOKS\n", path, number);
      fclose(file);
      return -1;
    }
    count++;
  }
  if (file) fclose(file);
  return file ? count : -1;
}
