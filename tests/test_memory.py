"""What earlier searches found: used where it holds, searched again where it does not, and never believed."""

import lzma

import pytest

from boundcheck.app.commands import check_jobs
from boundcheck.decide import decide, quantified, slack_bracket
from boundcheck.decide.memory import key_of, remembering
from boundcheck.decide.quadratic import gram_sharp
from boundcheck.decide.quadratic.gram_engine import decide_gram
from boundcheck.decide.quantified import decide_exists
from boundcheck.decide.scalar import engine
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.formula import parse_relations
from boundcheck.kernel.statement import Claim, GramClaim
from boundcheck.paper import lookup
from boundcheck.stored import found
from boundcheck.verdict import Status

TRUE = Claim.read("x**2 + 1 >= 2*x", ["x >= 0"])
FALSE = Claim.read("x**2 >= 2*x", ["x >= 0"])
SLACK = Claim.read("x + 1 <= 2*x + 3", ["x >= 0"])
GRAM = GramClaim("g", ("u", "v"), *parse_relations("2*dot(u, v) <= norm(u)**2 + norm(v)**2", proof=True))


def never(*_, **__):
    raise AssertionError("it was searched")


@pytest.mark.parametrize(("claim", "status"), [(TRUE, Status.PROVED), (FALSE, Status.REFUTED)])
def test_a_second_decision_searches_nothing(claim, status, monkeypatch):
    with remembering({}) as used:
        first = decide(claim, 5.0)
    assert first.status is status and used
    monkeypatch.setattr(engine, "search", never)
    monkeypatch.setattr(engine, "refute", never)
    with remembering(used) as again:
        second = decide(claim, 5.0)
    assert (second.status, second.method, second.witness) == (status, first.method, first.witness)
    assert second.certificate == first.certificate and again == used
    with pytest.raises(AssertionError, match="searched"), remembering({}):
        decide(claim, 5.0)


def test_a_record_of_another_claim_decides_nothing():
    with remembering({}) as used:
        decide(TRUE, 5.0), decide(FALSE, 5.0)
    proof, witness = used[key_of("claim", TRUE)], used[key_of("claim", FALSE)]
    planted = {key_of("claim", TRUE): witness, key_of("claim", FALSE): proof}
    with remembering(planted) as after:
        assert decide(TRUE, 5.0).status is Status.PROVED
        assert decide(FALSE, 5.0).status is Status.REFUTED
    assert after == used


@pytest.mark.parametrize(
    "record",
    [{"certificate": 3}, {"certificate": {"proofs": None}}, {"witness": {"x": "1/0"}}, {"witness": {"x": 1}},
     {"witness": {"y": "1"}}, {"witness": "x"}, {}, []],
)  # fmt: skip
def test_damaged_records_are_searched_again(record):
    with remembering({key_of("claim", TRUE): record, key_of("claim", FALSE): record}):
        assert decide(TRUE, 5.0).status is Status.PROVED
        assert decide(FALSE, 5.0).status is Status.REFUTED


def test_a_slack_of_before_is_certified_again():
    with remembering({}) as used:
        first = slack_bracket(SLACK, 3.0)
    assert first == (2.0, pytest.approx(2.0, abs=1e-3))
    with remembering(used):
        assert slack_bracket(SLACK, 3.0) == first
    key = key_of("slack", SLACK, 3.0)
    for wrong in ({"at": {"x": "-1"}, "low": "2"}, {"at": {"x": "y"}}, {"at": 3}):
        with remembering({**used, key: wrong}):
            assert slack_bracket(SLACK, 3.0) == (None, None)
    with remembering({**used, key: {**used[key], "low": "21/10"}}):
        low, high = slack_bracket(SLACK, 3.0)
    assert low is None and high == first[1]


def test_a_forged_certificate_raises_no_slack():
    with remembering({}) as used:
        decide(TRUE, 5.0)
    forged = Claim("slack", parse_relations("2*x + 3 >= 5/2*(x + 1)"), SLACK.where)
    assert not verify(used[key_of("claim", TRUE)]["certificate"], forged).valid
    record = {"at": {"x": "0"}, "low": "5/2"}
    planted = {key_of("slack", SLACK, 3.0): record, key_of("claim", forged): used[key_of("claim", TRUE)]}
    with remembering(planted):
        assert slack_bracket(SLACK, 3.0) == (None, 3.0)


def test_what_was_not_found_in_less_time_is_searched_again():
    with remembering({key_of("slack", SLACK, 0.5): {}}):
        assert slack_bracket(SLACK, 0.5) == (None, None)
        assert slack_bracket(SLACK, 3.0)[0] == 2.0


def test_a_certificate_of_a_form_is_checked_again(monkeypatch):
    with remembering({}) as used:
        first = decide_gram(GRAM)
    monkeypatch.setattr("boundcheck.decide.quadratic.gram_engine.problem", never)
    with remembering(used):
        assert decide_gram(GRAM).certificate == first.certificate
    false = GramClaim("g", ("u", "v"), *parse_relations("3*dot(u, v) <= norm(u)**2 + norm(v)**2", proof=True))
    monkeypatch.undo()
    with remembering({key_of("gram", false): used[key_of("gram", GRAM)]}):
        assert decide_gram(false).status is Status.REFUTED


def test_a_sharp_constant_of_before_is_decided_again(monkeypatch):
    def claim(value):
        return GramClaim(
            "g", ("u", "v"), *parse_relations(f"{value}*dot(u, v) <= norm(u)**2 + norm(v)**2", proof=True)
        )

    with remembering({}) as used:
        first = gram_sharp.sharp_constant(claim, gram_sharp.Fraction(1), 3.0)
    assert first.proved <= 2 < first.refuted
    wrong = {k: {**r, "proved": "3"} if "refuted" in r else r for k, r in used.items()}
    with remembering(wrong):
        assert gram_sharp.sharp_constant(claim, gram_sharp.Fraction(1), 3.0).proved <= 2
    monkeypatch.setattr(gram_sharp, "_bisect", never)
    with remembering(used):
        assert gram_sharp.sharp_constant(claim, gram_sharp.Fraction(1), 3.0) == first


def test_a_users_proofs_are_kept_in_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BOUNDCHECK_CACHE", str(tmp_path))
    statement = lookup("app:abstract-rate")
    asked = (statement, (), 5.0, True, False)
    first, used = check_jobs.remembered(check_jobs.decide_own, asked, True, False)
    assert first.status is Status.PROVED and used
    assert {p.stem for p in (tmp_path / "found").glob("*.json")} == set(used)
    monkeypatch.setattr(engine, "search", never)
    again, _ = check_jobs.remembered(check_jobs.decide_own, asked, True, False)
    assert again.status is Status.PROVED
    with pytest.raises(AssertionError, match="searched"):
        check_jobs.remembered(check_jobs.decide_own, asked, True, True)


def test_a_damaged_record_of_a_user_is_written_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("BOUNDCHECK_CACHE", str(tmp_path))
    own = found.Folder()
    own.write({"a": {"witness": {"x": "1"}}})
    (tmp_path / "found" / "a.json").write_text("{")
    assert own.get("a") is None
    own.write({"a": {"witness": {"x": "1"}}})
    assert own.get("a") == {"witness": {"x": "1"}}


def test_the_shipped_records_hold_no_more_than_they_say(tmp_path, monkeypatch):
    monkeypatch.setattr(found, "PATH", tmp_path / "found.json.xz")
    found.shipped.cache_clear()
    try:
        assert found.shipped() == {}
        for broken in (b"", b"nonsense", lzma.compress(b"[1, 2"), lzma.compress(b"[1]")):
            found.PATH.write_bytes(broken)
            found.shipped.cache_clear()
            assert found.shipped() == {}
        found.ship({"b": {"witness": {}}, "a": {}})
        found.shipped.cache_clear()
        assert found.shipped() == {"a": {}, "b": {"witness": {}}}
    finally:
        found.shipped.cache_clear()


def test_a_refutation_of_every_constant_is_kept_and_checked(monkeypatch):
    statement = lookup("lem:momentum-onestep-estimator")
    [exists] = statement.exists
    with remembering({}) as used:
        first = decide_exists(statement, exists, decide)
    assert first.status is Status.REFUTED
    [key] = [k for k, r in used.items() if "family" in r]
    with remembering({**used, key: {**used[key], "witness": {"p": "C**C**C"}}}):
        assert decide_exists(statement, exists, decide).status is Status.REFUTED
    monkeypatch.setattr(quantified, "candidates", never)
    with remembering(used) as again:
        second = decide_exists(statement, exists, decide)
    assert second.certificate == first.certificate and again.keys() < used.keys()
