# SPDX-License-Identifier: Apache-2.0
"""package_test.py SOURCE BUILD PROGRAM [SANITIZER] - the Python package as it is installed, with its own tests.

Installs what the build directory has into a virtual environment, which is kept there, and runs python/tests in it.
Python's own packages are used where they are there; pip brings numpy and pytest where they are missing and can be had.
SANITIZER is the runtime that an extension with AddressSanitizer needs.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import venv

SOURCE, BUILD, PROGRAM = map(pathlib.Path, sys.argv[1:4])
ENVIRONMENT = BUILD / "python-environment"
PYTHON = ENVIRONMENT / "bin" / "python"
NEEDED = ("cffi", "numpy", "pytest")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def imports(module):
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0


def make_environment():
    try:
        venv.create(ENVIRONMENT, system_site_packages=True, with_pip=True, symlinks=True)
    except (subprocess.CalledProcessError, ImportError) as error:
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        skip(f"this Python has no venv ({error}); on Debian: apt-get install python3-venv")


def bring(modules):
    command = [PYTHON, "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "20", *modules]
    if subprocess.run(command, capture_output=True).returncode != 0:
        skip(f"{' and '.join(modules)} missing, and the package registry cannot be reached; on Debian: apt-get install "
             + " ".join(f"python3-{module}" for module in modules))


def install(packages):
    """What `pip install` would put there."""
    there = packages / "ansatz"
    shutil.rmtree(there, ignore_errors=True)
    shutil.copytree(SOURCE / "python" / "ansatz", there, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("families", "models"):
        shutil.copytree(SOURCE / folder, there / folder, ignore=shutil.ignore_patterns("cdr-graph.*"))
    for extension in (BUILD / "python").glob("_binding*.so"):
        shutil.copy(extension, there)


if not PYTHON.exists() or not imports("pip"):
    make_environment()
missing = [module for module in NEEDED if not imports(module)]
if missing:
    bring(missing)
(site,) = ENVIRONMENT.glob("lib/python*/site-packages")
install(site)
environment = {**os.environ, "ANSATZ_PROGRAM": str(PROGRAM.resolve()), "PYTHONDONTWRITEBYTECODE": "1"}
environment.pop("PYTHONPATH", None)
if sys.argv[4:] and sys.argv[4]:  # Python itself leaks, so leaks are looked for in the tests of the library alone
    environment |= {"LD_PRELOAD": sys.argv[4], "ASAN_OPTIONS": "detect_leaks=0"}
tests = [PYTHON, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", SOURCE / "python" / "tests"]
sys.exit(subprocess.run(tests, env=environment, cwd=BUILD).returncode)
