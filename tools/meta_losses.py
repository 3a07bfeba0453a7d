#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""meta_losses.py CHECKPOINT... - the meta-training losses that checkpoints hold (doc/formats.md), as CSV. A row per run: the step from
which a hundred steps have a mean loss below 0.03 (empty: none), then the mean loss of each thousand steps.
`ansatz reproduce` leaves a checkpoint beside each record."""
import array
import csv
import json
import pathlib
import struct
import sys

EVERY, SHORT, LOW = 1000, 100, 0.03


def losses_of(path):
    data = path.read_bytes()
    length, = struct.unpack("<Q", data[:8])
    begin, end = json.loads(data[8:8 + length])["losses"]["data_offsets"]
    losses = array.array("d")
    losses.frombytes(data[8 + length + begin:8 + length + end])
    if sys.byteorder == "big":
        losses.byteswap()
    return losses


def means_of(losses, every):
    return [sum(losses[i:i + every]) / every for i in range(0, len(losses) - every + 1, every)]


runs = {f"{path.parent.name}/{path.stem}": losses_of(path) for path in map(pathlib.Path, sys.argv[1:])}
longest = max(map(len, runs.values()))
writer = csv.writer(sys.stdout, lineterminator="\n")
writer.writerow(["run", f"below {LOW} from", *range(EVERY, longest + 1, EVERY)])
for name, losses in runs.items():
    low = next((SHORT * i for i, mean in enumerate(means_of(losses, SHORT)) if mean < LOW), "")
    writer.writerow([name, low, *(f"{mean:.3g}" for mean in means_of(losses, EVERY))])
