/* SPDX-License-Identifier: Apache-2.0
 *
 * ansatz_share.h - one training in several processes. The rules of ansatz.h hold here too.
 */
#ifndef ANSATZ_SHARE_H
#define ANSATZ_SHARE_H

#include "ansatz.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Processes that do the steps of one training together: each computes its share of every sum, and all get the same bits
 * as a single process. spread: sends pieces of `bytes` bytes from their owners to everyone; all processes call it in
 * the same order. */
typedef struct ans_fellows {
  int rank, count; /* rank: 0 to count - 1; a sum has eight parts, so that more than eight fellows do not help */
  void (*spread)(void *user_data, void *const *pieces, size_t bytes, const int *owners, size_t piece_count);
  void *user_data;
} ans_fellows;
ANS_API void ans_training_share(ans_training *training, const ans_fellows *fellows);

#ifdef __cplusplus
}
#endif

#endif
