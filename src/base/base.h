/* SPDX-License-Identifier: Apache-2.0
 *
 * base.h - the door of base/: what any C program needs.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/context.h"
#include "base/file.h"
#include "base/random.h"

#endif
