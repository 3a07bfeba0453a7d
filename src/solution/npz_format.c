/* SPDX-License-Identifier: Apache-2.0
 *
 * npz_format.c - the pieces of NumPy's .npz: a zip archive of uncompressed .npy members.
 *
 * A member is: local header, "\x93NUMPY" 1 0, length of a Python literal that states type and shape, the literal
 * padded so that the numbers start at a multiple of 64, the numbers little-endian. The archive ends with a
 * directory of the members. Sizes stay under the format's 32-bit limits or the file is refused.
 */
#include <stdio.h>
#include <string.h>

#include "solution/npz.h"

enum { DATE_1980 = 0x21 };

void npz_little(buffer *out, uint64_t value, int bytes) {
  unsigned char text[8];
  for (int i = 0; i < bytes; i++) text[i] = (unsigned char)(value >> (8 * i));
  buffer_bytes(out, text, (size_t)bytes);
}

uint32_t npz_crc(uint32_t crc, const void *bytes, size_t count) {
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  const unsigned char *text = bytes;
  crc = ~crc;
  for (size_t i = 0; i < count; i++) crc = table[(crc ^ text[i]) & 255] ^ (crc >> 8);
  return ~crc;
}

/* The part that local headers and directory entries share. */
static void add_common(buffer *out, const npz_member *m) {
  npz_little(out, 20, 2); /* version needed */
  npz_little(out, 0, 2);  /* flags */
  npz_little(out, 0, 2);  /* stored */
  npz_little(out, 0, 2);  /* time */
  npz_little(out, DATE_1980, 2);
  npz_little(out, m->crc, 4);
  npz_little(out, m->size, 4);
  npz_little(out, m->size, 4);
  npz_little(out, strlen(m->name), 2);
  npz_little(out, 0, 2); /* no extra field */
}

void npz_begin_member(buffer *out, const npz_member *m) {
  buffer_bytes(out, "PK\x03\x04", 4);
  add_common(out, m);
  buffer_add(out, "%s", m->name);
}

/* The .npy prefix, so long that the numbers begin at a multiple of 64 within the member. */
void npz_header(buffer *npy, const char *type, const char *shape) {
  char literal[256];
  int length =
      snprintf(literal, sizeof literal, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
  size_t total = ((size_t)length + 10 + 1 + 63) / 64 * 64;
  buffer_bytes(npy, "\x93NUMPY\x01\x00", 8);
  npz_little(npy, total - 10, 2);
  buffer_add(npy, "%s", literal);
  while (npy->length < total - 1 && !npy->failed) buffer_add(npy, " ");
  buffer_add(npy, "\n");
}

void npz_numbers(buffer *npy, const double *numbers, size_t count) {
  const uint16_t probe = 1;
  unsigned char first;
  memcpy(&first, &probe, 1);
  if (first == 1) { /* this machine stores little-endian, as the file does */
    buffer_bytes(npy, numbers, size_product(count, sizeof *numbers));
    return;
  }
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    npz_little(npy, bits, 8);
  }
}

void npz_directory(buffer *out, const npz_member *members, int count, uint64_t start) {
  size_t before = out->length;
  for (int i = 0; i < count; i++) {
    const npz_member *m = &members[i];
    buffer_bytes(out, "PK\x01\x02", 4);
    npz_little(out, 20, 2); /* version made by */
    add_common(out, m);
    npz_little(out, 0, 2); /* comment */
    npz_little(out, 0, 2); /* disk */
    npz_little(out, 0, 2); /* internal attributes */
    npz_little(out, 0, 4); /* external attributes */
    npz_little(out, m->offset, 4);
    buffer_add(out, "%s", m->name);
  }
  size_t size = out->length - before;
  buffer_bytes(out, "PK\x05\x06", 4);
  npz_little(out, 0, 4); /* disks */
  npz_little(out, (uint64_t)count, 2);
  npz_little(out, (uint64_t)count, 2);
  npz_little(out, size, 4);
  npz_little(out, start, 4);
  npz_little(out, 0, 2); /* comment */
}
