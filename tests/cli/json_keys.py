# SPDX-License-Identifier: Apache-2.0
"""The keys of answers in JSON beside those that doc/json.md tells of."""
import re

from program import ROOT

NAMED_BY_THE_USER = {"values", "error", "error_varying", "estimate", "estimate_varying", "corrected_estimate", "corrected_error"}  # objects whose keys are the names of a family's symbols and fields


def keys_of(value):
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(keys_of(inner) for key, inner in value.items() if key not in NAMED_BY_THE_USER))


def names_in(text):
    return set(re.findall(r"`([a-z_][a-z_0-9]*)`", text))


def differences(command, *answers):
    """Keys that the answers hold and the command's section does not tell, and keys it tells that no answer holds.

    The second column of a table and what stands in parentheses may name values as well as keys, so nothing there must be printed.
    """
    parts = re.split(r"^## `ansatz ([a-z]+)`$", (ROOT / "doc/json.md").read_text(), flags=re.M)
    section = re.sub(r"```.*?```", "", dict(zip(parts[1::2], parts[2::2]))[command], flags=re.S)
    first_columns = "".join(line.split("|")[1] for line in section.splitlines() if line.startswith("|"))
    prose = re.sub(r"^\|.*$|\(.*?\)", "", section, flags=re.M)
    printed = keys_of(list(answers))
    return {"printed, not told": printed - names_in(section), "told, not printed": names_in(first_columns + prose) - printed}
