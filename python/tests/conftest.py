# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of the package: small problems, and the program beside it where there is one."""
import os

import pytest

import ansatz

# A network that takes a step in a fraction of a millisecond.
SMALL = """
coordinate x in [0, 1) periodic
coordinate t in [0, 1] time
field u{more_fields}
coefficient k in [0.01, 0.1] log
coefficient a in [0, 1] optional
{more_coefficients}
equation u: u_t - k*u_xx + a*u_x = 0
{more_equations}
initial u = 1 + sin(2*pi*x)
{more_initial}
structure still without a
structure moving
case slow moving: k=0.02 a=0.5
network width 16, layers 2, fourier 1..2
train steps 40, rate 1e-3, points 64
adapt steps 40, rate 1e-3, points 64, method adam
"""
ONE = SMALL.format(more_fields="", more_coefficients="", more_equations="", more_initial="")
TWO = SMALL.format(more_fields=", v", more_coefficients="", more_equations="equation v: v_t - k*v_xx - u = 0",
                   more_initial="initial v = cos(2*pi*x)")


@pytest.fixture
def problem():
    return ansatz.Problem(text=ONE)


@pytest.fixture
def two():
    return ansatz.Problem(text=TWO)


@pytest.fixture
def program():
    path = os.environ.get("ANSATZ_PROGRAM")
    if not path:
        pytest.skip("ANSATZ_PROGRAM does not name the program")
    return path
