/* SPDX-License-Identifier: Apache-2.0
 *
 * blas_room.h - inside numeric/: room for the buffers of OpenBLAS.
 *
 * OpenBLAS maps a buffer of 128 MiB for each call that runs at the same time, keeps it, and tries again for ever where
 * the system refuses one. So a call first makes sure that there is a buffer, or room for one.
 */
#ifndef NUMERIC_BLAS_ROOM_H
#define NUMERIC_BLAS_ROOM_H

#include <stdbool.h>

/* Prepares the first call. False when there is no room for a buffer. */
bool blas_room_begin(void (*first_call)(void));

/* Around each call: waits for another call to end when there is no room for one more buffer. */
void blas_room_enter(void);
void blas_room_leave(void);

#endif
