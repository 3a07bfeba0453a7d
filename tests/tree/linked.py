# SPDX-License-Identifier: Apache-2.0
"""What the program links against what `make run` installs for it, and against the licences that may be linked.

linked.py PROGRAM DEPENDENCIES.SH [ABSENT ...] - ABSENT: packages whose part this build leaves out.
"""
import re
import subprocess
import sys

# Library: the package in tools/dependencies.sh that brings it, and its licence. Nothing under the GPL: it would bind the
# whole program. (libgomp and libgcc_s are under the GPL with the exception that allows any program to link them.)
LIBRARIES = {
    "libc": ("libc6-dev", "LGPL-2.1-or-later"),
    "libm": ("libc6-dev", "LGPL-2.1-or-later"),
    "libpthread": ("libc6-dev", "LGPL-2.1-or-later"),
    "ld-linux-x86-64": ("libc6-dev", "LGPL-2.1-or-later"),
    "libgcc_s": ("gcc", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    "libgomp": ("gcc", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    "libopenblas": (None, "BSD-3-Clause"),  # with -Dblas=openblas only: whoever asks for it installs it
    "libsundials_cvode": ("libsundials-dev", "BSD-3-Clause"),
    "libsundials_core": ("libsundials-dev", "BSD-3-Clause"),
    "libmpi": ("libsundials-dev", "BSD-3-Clause"),
    "libnetcdf": ("libnetcdf-dev", "NetCDF (BSD-like)"),
    "libcairo": ("libcairo2-dev", "LGPL-2.1-only OR MPL-1.1"),
    "libjansson": ("libjansson-dev", "MIT"),
}
# Packages that the build needs and no program links.
TOOLS = {"binutils", "pkg-config", "meson", "ninja-build", "fonts-dejavu-core", "gcc", "libc6-dev"}
# Libraries under the GPL that others have been found to bring along.
GPL = ("libfftw3", "libgsl", "libreadline", "libgdbm", "libhistory", "libbfd", "libpoppler")


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def main(program, dependencies, absent):
    faults = []
    needed = {name.split(".so")[0] for name in re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", program))}
    packages = set(output(dependencies, "--list", "program").split())
    for name in sorted(needed):
        package, licence = LIBRARIES.get(name, (None, None))
        if licence is None:
            faults.append(f"{name} is linked, and tests/tree/linked.py does not know its package and licence")
        elif package and package not in packages:
            faults.append(f"{name} is linked, and tools/dependencies.sh does not install {package}")
        elif re.search(r"\bA?GPL-", licence) and not re.search("LGPL|exception", licence):
            faults.append(f"{name} is under {licence}")
    linked = {LIBRARIES[name][0] for name in needed if name in LIBRARIES}
    for package in sorted(packages - TOOLS - linked - set(absent)):
        faults.append(f"tools/dependencies.sh installs {package} for the program, which links nothing of it")
    for name in re.findall(r"^\s*(lib[\w+-]+)[\w.+-]*\.so", output("ldd", program), re.M):
        if name.startswith(GPL):
            faults.append(f"{name}, under the GPL, is loaded by one of the libraries")
    print("\n".join(faults) or f"{len(needed)} libraries, each with its package and a licence that fits")
    return 1 if faults else 0


sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
