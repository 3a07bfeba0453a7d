/* SPDX-License-Identifier: Apache-2.0
 *
 * differences.c - see differences.h. The recurrence of Fornberg, Generation of Finite Difference Formulas on
 * Arbitrarily Spaced Grids (1988).
 */
#include "numeric/differences.h"

#include <assert.h>
#include <string.h>

void difference_weights(double place, int count, const double *nodes,
                        double weights[DIFFERENCE_ORDERS][DIFFERENCE_NODES]) {
  assert(count > 0 && count <= DIFFERENCE_NODES);
  memset(weights, 0, sizeof(double[DIFFERENCE_ORDERS][DIFFERENCE_NODES]));
  double c1 = 1, c4 = nodes[0] - place;
  weights[0][0] = 1;
  for (int i = 1; i < count; i++) {
    int most = i < DIFFERENCE_ORDERS - 1 ? i : DIFFERENCE_ORDERS - 1;
    double c2 = 1, c5 = c4;
    c4 = nodes[i] - place;
    for (int j = 0; j < i; j++) {
      double c3 = nodes[i] - nodes[j];
      assert(c3 != 0);
      c2 *= c3;
      if (j == i - 1) {
        for (int k = most; k > 0; k--) weights[k][i] = c1 * (k * weights[k - 1][i - 1] - c5 * weights[k][i - 1]) / c2;
        weights[0][i] = -c1 * c5 * weights[0][i - 1] / c2;
      }
      for (int k = most; k > 0; k--) weights[k][j] = (c4 * weights[k][j] - k * weights[k - 1][j]) / c3;
      weights[0][j] = c4 * weights[0][j] / c3;
    }
    c1 = c2;
  }
}
