/* SPDX-License-Identifier: Apache-2.0
 *
 * settings.h - the settings that are one number or one word, as a table that reading and printing share.
 * What does not fit the table (fourier, vector, the sampler's schedule) is written out where it is needed.
 */
#ifndef PROTOCOL_SETTINGS_H
#define PROTOCOL_SETTINGS_H

#include <stddef.h>

#include "protocol/protocol.h"
#include "text/text.h"

typedef enum setting_type { SETTING_INT, SETTING_LONG, SETTING_REAL, SETTING_BOOL, SETTING_ENUM } setting_type;

typedef struct setting_choice {
  const char *word;
  int value;
} setting_choice;

typedef struct setting_rule {
  statement_kind kind;
  const char *name; /* "": the choice stands alone, as in "reference drift_diffusion" */
  setting_type type;
  size_t offset; /* in protocol_settings */
  double low, high;
  const setting_choice *choices; /* SETTING_BOOL and SETTING_ENUM; ends with a NULL word */
  bool later; /* came after files and records had been written: its first choice, or 0, is not printed, so that their
                 texts and hashes stay as they are */
} setting_rule;

extern const setting_rule setting_rules[];
extern const int setting_rule_count;

enum { SETTING_MAX_RULES = 64 };

void settings_default(protocol_settings *protocol);
double setting_number(const protocol_settings *protocol, const setting_rule *rule);
void setting_store(protocol_settings *protocol, const setting_rule *rule, double number);
const char *setting_word(const protocol_settings *protocol, const setting_rule *rule); /* of a choice */

#endif
