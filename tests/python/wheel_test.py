# SPDX-License-Identifier: Apache-2.0
"""wheel_test.py SOURCE - `pip install` as a stranger would do it, and then every test of the package.

Without BLAS, SUNDIALS, cairo and netCDF, as on a machine that has a C compiler and Python only. Needs the package
registry, for what builds the wheel and for the packages that the tests use.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

SOURCE = pathlib.Path(sys.argv[1])
BARE = [f"-Csetup-args=-D{part}" for part in ("blas=none", "reference=disabled", "figures=disabled", "netcdf=disabled")]
MOST_BYTES = 5_000_000


def run(*words, **settings):
    return subprocess.run(list(map(str, words)), **settings)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    venv.create(folder / "environment", with_pip=True, symlinks=True)
    python = folder / "environment" / "bin" / "python"
    if run(python, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, "cffi", capture_output=True).returncode:
        print("skipped: the package registry cannot be reached")
        sys.exit(77)
    run(python, "-m", "pip", "wheel", "-q", SOURCE, "--no-deps", "-w", folder / "wheel", *BARE, check=True)
    (wheel,) = (folder / "wheel").iterdir()
    print(f"{wheel.name}: {wheel.stat().st_size} bytes")
    assert wheel.stat().st_size <= MOST_BYTES and "-abi3-" in wheel.name, wheel
    run(python, "-m", "pip", "install", "-q", "auditwheel", "abi3audit", check=True)
    audit = run(python, "-m", "auditwheel", "show", wheel, capture_output=True, text=True, check=True).stdout
    assert "manylinux_" in audit, audit
    run(folder / "environment" / "bin" / "abi3audit", "--strict", wheel, check=True)
    run(python, "-m", "pip", "install", "-q", f"ansatz[test] @ {wheel.as_uri()}", check=True)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "ANSATZ_PROGRAM")}
    tests = run(python, "-m", "pytest", "-q", "--tb=short", "-rs", "-p", "no:cacheprovider", SOURCE / "python" / "tests",
                env={**environment, "PYTHONDONTWRITEBYTECODE": "1"}, cwd=folder)
    sys.exit(tests.returncode)
