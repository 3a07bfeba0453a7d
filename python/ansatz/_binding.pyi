# SPDX-License-Identifier: Apache-2.0
# What cffi makes of the headers has no types that a checker could follow; the modules above it give them.
from typing import Any

ffi: Any
lib: Any
