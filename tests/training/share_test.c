/* SPDX-License-Identifier: Apache-2.0
 *
 * A training that several share: whatever their number, each has the bits of one that works alone. Threads stand in for
 * processes here; what they pass to each other goes through one block of memory.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "small.h"

enum { MOST = 12, STEPS = 6, ROOM = 1 << 20 };

/* What the fellows of one training pass through, one after the other. */
typedef struct channel {
  pthread_barrier_t barrier;
  unsigned char *block; /* [pieces][bytes] */
  atomic_long bytes;    /* passed so far, by their owners */
} channel;

typedef struct fellow {
  channel *channel;
  const ans_problem *problem;
  int rank, count, bits, threads;
  ans_model *model;
} fellow;

static void spread(void *data, void *const *pieces, size_t bytes, const int *owners, size_t piece_count) {
  fellow *fellow = data;
  channel *channel = fellow->channel;
  assert_true(bytes * piece_count <= ROOM);
  for (size_t i = 0; i < piece_count; i++)
    if (owners[i] == fellow->rank) {
      memcpy(channel->block + i * bytes, pieces[i], bytes);
      atomic_fetch_add(&channel->bytes, (long)bytes);
    }
  pthread_barrier_wait(&channel->barrier);
  for (size_t i = 0; i < piece_count; i++)
    if (owners[i] != fellow->rank) memcpy(pieces[i], channel->block + i * bytes, bytes);
  pthread_barrier_wait(&channel->barrier);
}

static void *take_part(void *data) {
  fellow *fellow = data;
  ans_context *context = new_context();
  ans_training *training = small_training(context, fellow->problem, fellow->threads, fellow->bits);
  ans_fellows fellows = {fellow->rank, fellow->count, spread, fellow};
  training_share(training, &fellows);
  assert_ok(context, training_step(context, training, STEPS));
  assert_ok(context, training_model(context, training, &fellow->model));
  training_free(training);
  ans_context_free(context);
  return NULL;
}

static void check(const ans_problem *problem, const ans_model *alone, int count, int bits, int threads) {
  channel channel = {.block = malloc(ROOM)};
  pthread_t ids[MOST];
  fellow all[MOST];
  assert_non_null(channel.block);
  pthread_barrier_init(&channel.barrier, NULL, (unsigned)count);
  for (int i = 0; i < count; i++) {
    all[i] = (fellow){&channel, problem, i, count, bits, threads, NULL};
    assert_int_equal(pthread_create(&ids[i], NULL, take_part, &all[i]), 0);
  }
  for (int i = 0; i < count; i++) pthread_join(ids[i], NULL);
  for (int i = 0; i < count; i++) {
    assert_memory_equal(all[i].model->parameters, alone->parameters, alone->unknowns.size * sizeof *alone->parameters);
    model_free(all[i].model);
  }
  assert_true(atomic_load(&channel.bytes) > 0); /* they did share */
  pthread_barrier_destroy(&channel.barrier);
  free(channel.block);
}

static void any_number_of_fellows_has_the_same_bits(void **state) {
  (void)state;
  ans_context *context = new_context();
  ans_problem *problem = small_problem(context);
  static const int counts[] = {2, 3, 4, 8, MOST};
  for (int bits = 32; bits <= 64; bits += 32) {
    ans_training *training = small_training(context, problem, 1, bits);
    ans_model *alone;
    assert_ok(context, training_step(context, training, STEPS));
    assert_ok(context, training_model(context, training, &alone));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) check(problem, alone, counts[i], bits, 1 + (int)i % 2);
    training_free(training);
    model_free(alone);
  }
  system_free(problem);
  ans_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_fellows_has_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
