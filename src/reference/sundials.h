/* SPDX-License-Identifier: Apache-2.0
 *
 * sundials.h - SUNDIALS 6 and 7 as one: the names and calls in which they differ. For integrator.c alone.
 */
#ifndef REFERENCE_SUNDIALS_H
#define REFERENCE_SUNDIALS_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_spgmr.h>

enum { MESSAGE_BYTES = 256 };

#if SUNDIALS_VERSION_MAJOR >= 7

typedef sunrealtype realtype;
typedef sunbooleantype booleantype;

static inline int sundials_begin(SUNContext *context) { return SUNContext_Create(SUN_COMM_NULL, context); }

static void sundials_keep_message(int line, const char *function, const char *file, const char *message,
                                  SUNErrCode code, void *data, SUNContext context) {
  (void)line, (void)function, (void)file, (void)code, (void)context;
  snprintf(data, MESSAGE_BYTES, "%s", message);
}

/* Keeps the last message instead of printing it. */
static inline int sundials_listen(void *cvode, SUNContext context, char message[MESSAGE_BYTES]) {
  (void)cvode;
  int code = SUNContext_ClearErrHandlers(context);
  return code ? code : SUNContext_PushErrHandler(context, sundials_keep_message, message);
}

#else

static inline int sundials_begin(SUNContext *context) { return SUNContext_Create(NULL, context); }

static void sundials_keep_message(int code, const char *module, const char *function, char *message, void *data) {
  (void)code, (void)module, (void)function;
  snprintf(data, MESSAGE_BYTES, "%s", message);
}

static inline int sundials_listen(void *cvode, SUNContext context, char message[MESSAGE_BYTES]) {
  (void)context;
  return CVodeSetErrHandlerFn(cvode, sundials_keep_message, message);
}

#endif

#endif
