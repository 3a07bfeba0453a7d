/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_open.h - included before every source of a fuzzer whose readers take paths: what they open is the bytes at
 * hand, without the system's help, which is most of the time that a small input takes. The harness with mutate.c does
 * without it and opens files.
 */
#ifndef TESTS_FUZZ_MEMORY_OPEN_H
#define TESTS_FUZZ_MEMORY_OPEN_H

#include <jansson.h>
#include <stdio.h>

extern const void *memory_bytes;
extern size_t memory_size;

#define FUZZ_IN_MEMORY                     1
#define fopen(path, mode)                  ((void)(path), fmemopen((void *)memory_bytes, memory_size, mode))
#define json_load_file(path, flags, error) ((void)(path), json_loadb(memory_bytes, memory_size, flags, error))

#endif
