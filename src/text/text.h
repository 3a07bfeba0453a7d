/* SPDX-License-Identifier: Apache-2.0
 *
 * text.h - the door of text/: bytes to a tree whose nodes know their place in the text.
 */
#ifndef TEXT_TEXT_H
#define TEXT_TEXT_H

#include "text/suggest.h"
#include "text/syntax.h"

#endif
