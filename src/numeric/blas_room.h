/* SPDX-License-Identifier: Apache-2.0
 *
 * blas_room.h - inside numeric/: room for the buffers of OpenBLAS.
 *
 * OpenBLAS maps a buffer of 128 MiB for each call that runs at the same time, keeps it, and tries again for ever where
 * the system refuses one. So a call first makes sure that there is a buffer, or room for one. An OpenBLAS built without
 * threads (libopenblas-serial) has one buffer, and calls at the same time overwrite each other's: they go one by one.
 */
#ifndef NUMERIC_BLAS_ROOM_H
#define NUMERIC_BLAS_ROOM_H

#include <stdbool.h>

/* Makes the first call, which returns whether calls may run at the same time. False when there is no room for a buffer.
 */
bool blas_room_begin(bool (*first_call)(void));

/* Around each call: waits for another call to end where they go one by one, or when there is no room for one more
 * buffer. */
void blas_room_enter(bool (*first_call)(void));
void blas_room_leave(void);

#endif
