"""The doctor finds what is broken: each self-test is given something wrong and must say so."""

from __future__ import annotations

import json

import numpy as np
import pytest
from flint import arb

from boundcheck import lemma
from boundcheck.app.commands import doctor


def test_a_sound_installation_is_good(capsys):
    assert lemma.main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["good"] and found["versions"]["python-flint"]
    assert {f["name"] for f in found["findings"]} == set(doctor.TESTS)


def test_the_known_failures_are_shown(capsys):
    assert lemma.main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("\nall is good\n") and max(map(len, out.splitlines())) <= 100
    lines = out.replace("\n" + " " * 12, " ").splitlines()
    (iv,) = [line for line in lines if "mpmath.iv.exp" in line]
    (blind,) = [line for line in lines if "acb.integral" in line]
    assert "is wrong" in iv and "31.769286826103922, 31.769286826103926" in iv
    assert "is wrong" in blind and "1.1547" in blind


@pytest.mark.parametrize("digit", [5, 14])
def test_a_wrong_digit_is_noticed(monkeypatch, digit):
    wrong = doctor.KNOWN["exp(1)"]
    wrong = wrong[:digit] + str((int(wrong[digit]) + 1) % 10) + wrong[digit + 1 :]
    monkeypatch.setattr(doctor, "KNOWN", {**doctor.KNOWN, "exp(1)": wrong})
    good, told = doctor.enclosures()
    assert good is False and told.startswith("exp(1) = ")


def test_balls_that_miss_are_noticed(monkeypatch):
    from boundcheck.arith import in_balls

    real = in_balls.at_point
    monkeypatch.setattr(in_balls, "at_point", lambda e, point, *rest: arb(real(e, point, *rest)) + arb(2) ** -40)
    assert doctor.enclosures()[0] is False


def test_interval_arrays_that_miss_are_noticed(monkeypatch):
    from boundcheck.arith import boxes

    real = boxes.enclose

    def narrowed(e, env):
        lo, hi, ok = real(e, env)
        return lo + (hi - lo) / 4, hi, ok

    monkeypatch.setattr(boxes, "enclose", narrowed)
    assert doctor.boxes()[0] is False


@pytest.mark.parametrize("known", [False, True])
def test_interval_arrays_that_say_nothing_are_noticed(monkeypatch, known):
    from boundcheck.arith import boxes

    def idle(e, env):
        n = len(env["x"][0])
        return np.full(n, -np.inf), np.full(n, np.inf), np.full(n, known)

    monkeypatch.setattr(boxes, "enclose", idle)
    assert doctor.boxes()[0] is False


def test_other_streams_are_noticed(monkeypatch):
    import proofs_numeric.model.streams as streams

    real = streams.stream
    monkeypatch.setattr(streams, "stream", lambda *address: real(*address, seed=1))
    assert doctor.streams()[0] is False


def test_a_missing_package_is_noticed(monkeypatch):
    monkeypatch.setattr(doctor, "versions", lambda: {"numpy": "2", "mpmath": None, "crival": None})
    assert doctor.packages() == (False, "missing: mpmath")


def test_a_full_disk_is_noticed(monkeypatch):
    monkeypatch.setattr(doctor, "ROOM", 10**24)
    assert doctor.disk()[0] is False


def test_a_test_that_raises_is_not_good(monkeypatch, capsys):
    def broken():
        raise OSError("no such\nlibrary")

    monkeypatch.setattr(doctor, "TESTS", {"broken": broken})
    assert lemma.main(["doctor"]) == 1
    assert "NOT GOOD    broken: OSError: no such library" in capsys.readouterr().out


def test_the_ends_of_an_mpmath_interval_are_read_exactly(monkeypatch):
    from mpmath import iv

    monkeypatch.setattr(iv, "exp", lambda x: iv.mpf(["0.375", 40]))  # doubles, so that nothing may be lost
    good, told = doctor.iv_exp()
    assert good is None and "says [0.375, 40.0] for 31.7692868261" in told and "is wrong" not in told
    monkeypatch.setattr(iv, "exp", lambda x: iv.mpf([32, 33]))
    assert "says [32.0, 33.0]" in doctor.iv_exp()[1] and "is wrong" in doctor.iv_exp()[1]
