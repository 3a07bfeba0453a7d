/* SPDX-License-Identifier: Apache-2.0 */
#include "training/resolution.h"

window_network resolution_of_window(const windows *windows, int finer) {
  const ans_problem *problem = windows->instance->problem;
  window_network network = {0};
  if (finer > 0 && !problem->network.stated) network.width = finer > 1 ? 128 : 96;
  return network;
}
