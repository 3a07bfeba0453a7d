/* SPDX-License-Identifier: Apache-2.0
 *
 * api_fit_check.c - the classical check of a fit, for ansatz_tools.h.
 */
#include "ansatz_tools.h"
#include "fit/fit.h"

ans_status ans_fit_check(ans_context *context, ans_fit *fit, ans_fit_reference *reference) {
  ans_status status = fit_check(context, fit);
  *reference = fit->reference;
  return status;
}
