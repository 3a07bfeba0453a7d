# SPDX-License-Identifier: Apache-2.0
"""Against other programs: SciPy's BDF for the numbers, NumPy and xarray for the files. Skipped when they are missing."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.environ["ANSATZ_PROGRAM"]
FAMILIES = pathlib.Path(os.environ["ANSATZ_FAMILIES"])
SKIPPED = 77

missing = [name for name in ("numpy", "scipy", "xarray", "netCDF4") if importlib.util.find_spec(name) is None]
if missing:
    print("skipped:", ", ".join(missing), "not installed")
    sys.exit(SKIPPED)

import numpy as np  # noqa: E402
import xarray  # noqa: E402

sys.path.insert(0, str(FAMILIES.parent / "bench" / "peers"))
import scipy_bdf  # noqa: E402


def reference(folder, name):
    subprocess.run([PROGRAM, "reference", FAMILIES / "fisher.pde", "--case", "H1", "--no-cache", "-o", folder / name], check=True,
                   stdout=subprocess.DEVNULL)
    return folder / name


def check_files(folder):
    arrays = np.load(reference(folder, "h1.npz"))
    table = np.genfromtxt(reference(folder, "h1.csv"), delimiter=",", names=True)
    with xarray.open_dataset(reference(folder, "h1.nc")) as data:
        assert data["u"].dims == ("t", "x") and data["u"].shape == (101, 256), data
        assert "k_uv" in data.attrs["problem"] and "Fourier-BDF" in data.attrs["settings"], data.attrs
        assert data.attrs["ansatz_version"] and data["v"].attrs["long_name"] == "field v" and data["x"].attrs["units"] == "1"
        for name in ("t", "x", "u", "v"):
            assert (data[name].values == arrays[name]).all(), name
    for name in ("u", "v"):
        assert (table[name] == arrays[name].ravel()).all(), name
    assert b"Fourier-BDF" in arrays["ansatz_settings"].item() and b"k_uv" in arrays["ansatz_problem"].item()
    return np.stack([arrays["u"], arrays["v"]], axis=1)


def check_numbers(ours):
    theirs, _ = scipy_bdf.scipy_solution(True)
    for f in range(2):
        difference = np.linalg.norm(ours[:, f] - theirs[:, f]) / np.linalg.norm(theirs[:, f])
        print(f"field {f}: {difference:.2e} from SciPy")
        assert difference < 1e-7, difference


with tempfile.TemporaryDirectory() as place:
    check_numbers(check_files(pathlib.Path(place)))
