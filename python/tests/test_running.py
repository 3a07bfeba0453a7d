# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, threads, fork, and any order of calls."""
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import ansatz
from conftest import ONE


@contextlib.contextmanager
def interrupt_after(seconds):
    """Ctrl-C while the block runs; it must not come later, when another test would get it."""
    timer = threading.Timer(seconds, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def test_interrupted_solution_can_go_on(problem):
    s = problem.begin()
    with pytest.raises(KeyboardInterrupt), interrupt_after(0.3):
        s.run(10**9)
    assert s.state.end == "interrupted" and s.state.step > 0
    before = s.state.step
    assert s.run(2).state.step == before + 2 and s(x=0.1, t=0.1) == s(x=0.1, t=0.1)


def test_interrupted_solve_has_its_part(problem):
    with pytest.raises(ansatz.Interrupted) as caught, interrupt_after(0.3):
        problem.solve(steps=10**9)
    assert caught.value.partial.state.step > 0


def test_interrupted_training_leaves_a_checkpoint(problem, tmp_path):
    with pytest.raises(KeyboardInterrupt), interrupt_after(0.3):
        ansatz.train(problem, steps=10**9, checkpoint=tmp_path / "c", every=10**9)
    assert ansatz.Training.resume(tmp_path / "c").state.step > 0


def test_interrupted_table_has_its_part(problem):
    pytest.importorskip("pandas")
    with pytest.raises(ansatz.Interrupted) as caught, interrupt_after(0.5):
        problem.solve_many([{"k": 0.02}, {"k": 0.03}, {"k": 0.04}], steps=10**9, threads=2, grid=None)
    assert len(caught.value.partial.table) == 3


def test_seconds_end_a_run(problem):
    assert problem.begin().run(10**9, seconds=0.1).state.end == "seconds"


def test_a_failing_onlooker_ends_the_run(problem):
    s = problem.begin()
    with pytest.raises(ZeroDivisionError):
        s.run(10**9, progress=lambda now: 1 / 0)
    assert s.state.end == "interrupted"


def test_the_interpreter_is_free_while_computing(problem):
    """Another thread counts during a run of the library; with the lock held it would stand still."""
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        problem.begin().run(10**9, seconds=0.3)
        during = counted[0]
    finally:
        stop.set()
        thread.join()
    assert during > 10


def test_two_threads_solve_at_the_same_time(problem):
    results = {}

    def work(seed):
        results[seed] = problem.solve(steps=30, seed=seed, threads=1)(x=0.3, t=0.7)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {seed: problem.solve(steps=30, seed=seed)(x=0.3, t=0.7) for seed in (1, 2, 3)}


def test_one_solution_from_many_threads(problem):
    s, wrong = problem.solve(steps=3), []
    right = [s(x=i / 10, t=0.5) for i in range(10)]

    def work():
        for _ in range(50):
            wrong.extend(i for i in range(10) if s(x=i / 10, t=0.5) != right[i])

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_of_fork_solves():
    code = f"""
import os, sys, ansatz
p = ansatz.Problem(text={ONE!r})
s = p.solve(steps=3, threads=2)
wanted = s(x=.3, t=.3), p.solve(steps=5, threads=2)(x=.3, t=.3)
child = os.fork()
if child == 0:
    os._exit(0 if (s(x=.3, t=.3), s.run(2)(x=.3, t=.3)) == wanted else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_importing_brings_nothing_heavy():
    code = "import sys, ansatz; print([m for m in ('numpy', 'pandas', 'xarray', 'matplotlib', 'cffi') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_progress_bar(problem, capsys, monkeypatch):
    from ansatz import _progress

    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    problem.begin().run(10**9, seconds=0.3, progress=True)
    shown = capsys.readouterr().err
    assert "adapt [" in shown and "loss" in shown and shown.endswith("\r\x1b[K")
    problem.begin().run(2, progress=False)
    assert capsys.readouterr().err == ""
