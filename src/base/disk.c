/* SPDX-License-Identifier: Apache-2.0 */
#include "base/disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int open_file(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

disk_calls disk = {open_file, write, fsync, rename, unlink, close};
