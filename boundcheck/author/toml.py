"""Statements of a TOML file: ``[[statement]]`` tables with their proof as text. Data, never executed.

[[statement]]
label = "lem:own"                       # by this name others cite it
title = "Chebyshev's inequality"
parameters = ["V >= 0", "t > 0", "integer n >= 1"]
random = ["Z"]                          # or declares = {Z = "random real", u = "random vector"}
hypotheses = {moment = "E(Z**2) <= V"}
claims = ["P(abs(Z) > t) <= V/t**2"]
proof = '''
...
'''
twins = [{what = "half of it", change = {"V/t**2" = "0.5*V/t**2"}}]  # world = {"X" = "w(1)"}: where that is false

A ``part = "..."`` above the first table is that of every statement of the file which names none of its own.
What several statements speak of is written once, as a setting, and named: ``settings = ["smooth objective"]``.

[setting."smooth objective"]
source = "Assumption 1"                 # where it is assumed: shown beside each of its hypotheses
assumes = ["ass:own"]                   # labels of assumptions that its hypotheses spell out
extends = []                            # other settings that belong to it
parameters = ["L > 0"]
declares = {f = "vector -> real", gradf = "vector -> vector"}
hypotheses = {gradient = "gradient(f, gradf) == 1"}

A statement that says again what another one says names it, ``restates = "lem:own"``: what it does not say itself is
as there, and its claims are proved by citing it.

[place."Assumption 2"]                  # where hypotheses of settings are assumed, whatever their setting's source is
says = "the noise has a variance"       # in words, for `show`
hypotheses = ["noise"]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from boundcheck.author import adapter
from boundcheck.author.passages import AS_USED, Told, with_passages
from boundcheck.author.proof_reader import EVERYWHERE, check_functions, read_conditions, read_proof, read_range
from boundcheck.author.proof_records import LABEL, Line, Range
from boundcheck.author.shared_settings import HEADER, Setting, read_meanings, read_settings
from boundcheck.author.source import NotationError, Piece
from boundcheck.author.syntax import relations
from boundcheck.hints import nearest
from boundcheck.kernel.formula import Relation
from boundcheck.kernel.proof.sorts import SortError, check_declared
from boundcheck.kernel.statement import Exists, Fact, Family, Parameter, Statement, Twin

MAX_STATEMENTS = 1_000
MAX_EXTENDS = 20
MAX_TEXT = 200_000  #: characters of one text
KEPT = 16_384  #: texts whose meaning is kept: the hypotheses of a setting are those of all its statements
_NAME = re.compile(r"[A-Za-z_]\w*")
T = TypeVar("T")
PLAIN_TEXTS = ("label", "title", "text", "kind", "part", "bound", "note", "literature", "worst_law", "imprecise")
_TEXTS = (*PLAIN_TEXTS, "proof")
_ELSEWHERE = {"source": "a setting has a source; of a statement write it in note"}  #: keys of other tables
_MERGED_LISTS, _MERGED_TABLES = ("assumes", "parameters", "random"), ("declares", "hypotheses", "meanings")
_LISTS = ("settings", "claims", "twins", "assumes", "bound_names")
_KEYS = (*_TEXTS, *HEADER, *_LISTS, "places", "exists", "as_used", "restates")
#: what a statement that restates another one says for itself
_ITS_OWN = ("label", "title", "kind", "note", "twins", "proof")
#: what a statement is called where it does not say so, by the prefix of its label; an assumption says it
USUAL = {"thm": "theorem", "prop": "proposition", "cor": "corollary", "rem": "remark"}
KINDS = ("assumption", "lemma", "theorem", "proposition", "corollary", "remark", "equation")


@dataclass(frozen=True)
class Written:
    """A statement as written: its header, and the lines of its proof if they were read, still to be elaborated."""

    statement: Statement
    lines: tuple[Line, ...]
    proof: str
    first: int  #: the line of the file on which the proof begins
    used: Written | None = None  #: the form that its uses need


@dataclass(frozen=True)
class _Shared:
    """What all statements of a document may speak of, and where the faults of each are told."""

    file: str
    source: str
    warn: Callable[[str], None]
    settings: Mapping[str, Setting]
    meanings: Mapping[str, str]
    proof: Told  #: the proofs of which one may take a passage
    lines: bool  #: whether the lines of proofs are read
    faults: list[str]

    def fault(self, label: object, key: str, message: str) -> None:
        """Take down what is wrong under a key of a statement."""
        self.faults.append(f"{self.file}: statement {label}: {key}: {message}")


def written_proofs(document: Mapping[str, Any]) -> dict[str, str]:
    """The proofs of a loaded TOML document by label, and by ``LABEL as used``, as far as they are texts.

    Where only the form that is used has one, it is that of the label, too.
    """
    tables = document.get("statement", [])
    found: dict[str, str] = {}
    for table in tables if isinstance(tables, list) else []:
        used = table.get("as_used") if isinstance(table, dict) else None
        for form, name in ((table, ""), (used, AS_USED)):
            if isinstance(form, dict) and isinstance(form.get("proof"), str) and form["proof"].strip():
                found[f"{table.get('label')}{name}"] = form["proof"]
                found.setdefault(str(table.get("label")), form["proof"])
    return found


@lru_cache(maxsize=KEPT)
def _relations(text: str) -> tuple[Relation, ...]:
    """The relations of a text. Raises :class:`boundcheck.author.source.NotationError`."""
    return relations(Piece.of_line(text, 1).cut(0), {})


@lru_cache(maxsize=KEPT)
def _fact(text: str, functions: frozenset[str], known: frozenset[str]) -> Fact:
    """The assertion that a text says, with its range. Raises :class:`boundcheck.author.source.NotationError`."""
    piece = Piece.of_line(text, 1).cut(0)
    body, word, behind = piece.before_word("for", "if")
    if word and not body.text:
        raise piece.fault("the relation comes first, its range last: X <= b for integer t where t >= 0")
    check_functions(piece, functions)
    found = relations(body, {})
    if len(found) != 1:
        each = " and ".join(map(adapter.as_text, found))
        raise body.fault(f"one relation is wanted; write a chain as facts of their own: {each}")
    if word == "if":
        range_ = Range((), read_conditions(behind, {}))
    else:
        range_ = read_range(behind, {}, known) if word else EVERYWHERE
    return adapter.with_sorts(*adapter.fact_of(found[0], range_))


def read_statements(
    document: Mapping[str, Any],
    file: str,
    source: str,
    warn: Callable[[str], None],
    settings: Mapping[str, Setting] | None = None,
    proofs: bool = True,
    meanings: Mapping[str, str] | None = None,
    others: Told = lambda label: None,
) -> tuple[list[Written], list[str]]:
    """The statements of a loaded TOML document, and everything that is wrong with them, one line a fault.

    ``settings`` are those of other documents that it may name, beside its own, and ``meanings`` what symbols mean
    where neither the statement nor the document's own ``[meanings]`` says it. ``others`` gives the proofs of other
    documents, of which one may take a passage. Without ``proofs`` their lines are not read.
    """
    tables = document.get("statement", [])
    own, faults = read_settings(document, file)
    told, wrong = read_meanings(document, file)
    faults += wrong
    if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        return [], [f"{file}: statement: a table is wanted; write [[statement]]"]
    if len(tables) > MAX_STATEMENTS:
        return [], [f"{file}: {len(tables)} statements; at most {MAX_STATEMENTS} are read"]
    proofs_here = written_proofs(document)
    shared = _Shared(
        file, source, warn, {**(settings or {}), **own}, {**(meanings or {}), **told},
        lambda label: proofs_here.get(label) or others(label), proofs, faults,
    )  # fmt: skip
    found: list[Written] = []
    for number, table in enumerate(tables, 1):
        before = len(faults)
        if "restates" in table:
            table = _restating(table, tables, shared)
        reader = _Reader({"part": document.get("part", ""), **table}, number, shared)
        written = reader.read()
        if written is not None and len(faults) == before:
            if any(w.statement.label == written.statement.label for w in found):
                reader.fault("label", "used before; labels are unique")
            found.append(written)
    return found, faults


def _restating(table: Mapping[str, Any], tables: list[dict[str, Any]], shared: _Shared) -> Mapping[str, Any]:
    """The table with what it leaves out as the statement says that it ``restates``, proved by citing that one."""
    said = next((t for t in tables if t.get("label") == table["restates"] and "restates" not in t), None)
    if said is None:
        told = f"no statement of this file, itself no restatement, is called {table['restates']}"
        shared.fault(table.get("label"), "restates", told)
        return table
    found = {**{k: v for k, v in said.items() if k not in _ITS_OWN}, **table}
    found.setdefault("proof", _citing(found, said, "") or said.get("proof", ""))
    used = said.get("as_used")
    if isinstance(used, dict) and "as_used" not in table:
        found["as_used"] = {**used, "proof": _citing(used, said, " as used")}
    return found


def _citing(table: Mapping[str, Any], said: Mapping[str, Any], form: str) -> str:
    """The proof of the claims of a table by citing the statement that says them."""
    claims, known = table.get("claims"), (said["as_used"] if form else said).get("claims")
    if not isinstance(claims, list) or not isinstance(known, list):
        return ""  # told where the claims are read
    numbers = [known.index(c) + 1 if c in known else n for n, c in enumerate(claims, 1)]
    return "\n".join(f"{c}  exactly cite {said['label']} {n}{form}" for n, c in zip(numbers, claims, strict=True))


def _extended(
    settings: Mapping[str, Setting],
    name: object,
    unknown: Callable[[object], None] = lambda name: None,
    above: tuple[str, ...] = (),
    done: set[str] | None = None,
) -> Iterator[Setting]:
    """The setting of a name, behind those that it extends, each once; what is no name of one is told.

    One that extends itself is told, too: ``above`` has those that want it, ``done`` all that are on their way.
    """
    done = set() if done is None else done
    if not isinstance(name, str) or name not in settings or name in above or len(above) > MAX_EXTENDS:
        unknown(name)
    elif name not in done:
        done.add(name)
        for other in dict.fromkeys(settings[name].extends):
            yield from _extended(settings, other, unknown, (*above, name), done)
        yield settings[name]


def _family(table: Mapping[str, Any]) -> Family:
    """The instances of a table; raises where it is of another shape."""
    return Family(
        str(table.get("name", "")), tuple(map(str, table.get("free", []))), tuple(map(str, table.get("where", []))),
        dict(table.get("values", {})), str(table.get("variable", "")),
        tuple((str(a[0]), str(a[1])) for a in table.get("atoms", [])), dict(table.get("meets", {})),
        str(table.get("note", "")), dict(table.get("vouches", {})),
    )  # fmt: skip


class _Reader:
    """Reads one table."""

    def __init__(self, table: Mapping[str, Any], number: int, shared: _Shared) -> None:
        self.table, self.shared, self.settings = table, shared, shared.settings
        self.places = dict[str, str]()
        label = table.get("label")
        fits = isinstance(label, str) and re.fullmatch(LABEL, label) and len(label) <= 110
        self.label = str(label) if fits else f"#{number}"
        if not fits:
            self.fault("label", 'a label such as "lem:own-name" is wanted')

    def fault(self, key: str, message: str) -> None:
        """Take down a fault."""
        self.shared.fault(self.label, key, message)

    def read(self) -> Written | None:
        """The statement; None where something is wrong with it."""
        for key in self.table:
            if key not in _KEYS:
                hint = _ELSEWHERE.get(key) or nearest(key, _KEYS, f"keys are {', '.join(_KEYS)}")
                self.shared.warn(f"{self.shared.file}: statement {self.label}: key {key[:60]} is not read; {hint}")
        as_used = self.used()
        self.with_settings()
        texts = {k: self.text(k) for k in _TEXTS}
        if texts["kind"] and texts["kind"] not in KINDS:
            self.fault("kind", f"{texts['kind']!r}; one of {', '.join(KINDS)} is wanted")
        parameters = self.parameters()
        declares = self.declared(parameters)
        known = {q.symbol for q in parameters} | declares.keys()
        hypotheses = self.hypotheses(frozenset(known))
        spoken = known.union(*(adapter.relation_of(f.claim).free - set(f.over) for f in hypotheses.values()))
        claims = tuple(self.fact(f"claims[{n}]", c, frozenset(spoken)) for n, c in enumerate(self.list("claims")))
        if not (claims or texts["imprecise"] or self.table.get("exists")):
            self.fault("claims", 'missing; write claims = ["E(X) <= 1"]')
        first, proof = self.first_line(texts["proof"]), texts["proof"]
        lines: list[Line] = []
        try:
            proof, numbers = with_passages(proof, self.shared.proof, first)
            if self.shared.lines:
                lines = read_proof(proof, first, frozenset(spoken), frozenset(declares), numbers)
        except NotationError as error:
            self.fault("proof", str(error))
        if any(f is None for f in claims):
            return None
        statement = Statement(
            label=self.label, title=texts["title"] or self.label,
            kind=texts["kind"] or USUAL.get(self.label.partition(":")[0], "lemma"),
            part=texts["part"] or "own", text=texts["text"], parameters=parameters, hypotheses=hypotheses,
            claims=tuple(c for c in claims if c is not None), bound=texts["bound"], note=texts["note"],
            declares=declares, twins=self.twins(), literature=texts["literature"], worst_law=texts["worst_law"],
            imprecise=texts["imprecise"], assumes=tuple(map(str, self.list("assumes"))), exists=self.exists(),
            bound_names=self.parameters("bound_names"), places=self.places,
        )  # fmt: skip
        return Written(statement, tuple(lines), proof, first, as_used)

    def used(self) -> Written | None:
        """The form that its uses need: the table with what ``as_used`` says instead."""
        change = self.table.get("as_used")
        if change is None:
            return None
        if not isinstance(change, dict):
            self.fault("as_used", "a table is wanted; write [statement.as_used]")
            return None
        own = {
            k: v for k, v in self.table.items() if k not in ("as_used", "imprecise", "exists", "twins", "literature")
        }
        return _Reader({**own, **change}, 0, self.shared).read()

    def with_settings(self) -> None:
        """Put the assumptions, parameters, declarations and hypotheses of the settings before those of the table."""

        def unknown(name: object) -> None:
            if isinstance(name, str) and name in self.settings:
                self.fault("settings", f"{name} extends itself, or stands more than {MAX_EXTENDS} settings deep")
                return
            hint = nearest(str(name), self.settings)
            self.fault("settings", f"no setting is called {name}" + (f"; {hint}" if hint else ""))

        named = (s for name in self.list("settings") for s in _extended(self.settings, name, unknown))
        order = list({s.name: s for s in named}.values())
        merged = dict(self.table)
        for key in (*_MERGED_LISTS, *_MERGED_TABLES):
            kind: Any = list if key in _MERGED_LISTS else dict
            parts = [s.table.get(key, kind()) for s in order] + [self.table.get(key, kind())]
            if not all(isinstance(part, kind) for part in parts):
                self.fault(key, "a list is wanted" if kind is list else "a table is wanted")
                continue
            found = kind()
            for part in parts:
                if kind is list:  # settings may say the same; what one list says twice stays, it may bring in a name
                    found += [str(entry) for entry in part if str(entry) not in found]
                    continue
                twice = sorted(k for k in part if k in found and part[k] != found[k]) if key != "meanings" else []
                if twice:
                    self.fault(key, f"{twice[0]} stands for two things, here and in a setting; two things, two names")
                found.update(part)
            merged[key] = found
        self.places = {h: place for s in order for h, place in s.places.items()}
        self.table = merged
        self.places.update(self.mapping("places"))

    def exists(self) -> tuple[Exists, ...]:
        """What is printed as: there is a constant > 0 such that ..., with the instances to try against it."""
        found = []
        for n, table in enumerate(self.list("exists")):
            key = f"exists[{n}]"
            if not isinstance(table, dict) or not isinstance(table.get("constant"), str):
                self.fault(key, 'write {constant = "C", claim = "...", families = [...]}')
                continue
            claim = self.fact(f"{key}.claim", table.get("claim"), frozenset())
            try:
                families = tuple(map(_family, table.get("families", [])))
            except (AttributeError, TypeError, ValueError, IndexError, KeyError):
                self.fault(f"{key}.families", 'write {name = "...", free = ["x"], values = {y = "1"}, ...}')
                continue
            if claim is not None:
                found.append(Exists(table["constant"], claim, families))
        return tuple(found)

    # ------------------------------------------------------------ pieces

    def text(self, key: str) -> str:
        """The text under a key, "" where there is none."""
        short = len(str(self.table.get(key, ""))) <= MAX_TEXT
        return self.entry(key, "", f"a text of at most {MAX_TEXT} characters is wanted", short)

    def list(self, key: str) -> list[Any]:
        """The list under a key."""
        return self.entry(key, [], "a list is wanted")

    def mapping(self, key: str) -> Mapping[str, str]:
        """The table of texts under a key."""
        value = self.table.get(key, {})
        texts = isinstance(value, dict) and all(isinstance(v, str) for v in value.values())
        return self.entry(key, {}, 'a table of texts is wanted, as {name = "..."}', texts)

    def entry(self, key: str, empty: T, wanted: str, fits: bool = True) -> T:
        """What stands under a key, of the kind of ``empty``, which stands for nothing and for what does not fit."""
        value = self.table.get(key, empty)
        if fits and isinstance(value, type(empty)):
            return value
        self.fault(key, wanted)
        return empty

    def chain(self, key: str, text: Any) -> tuple[Relation, ...]:
        """The relations of a text."""
        if not isinstance(text, str):
            self.fault(key, "a text is wanted")
            return ()
        try:
            return _relations(text)
        except NotationError as error:
            self.fault(key, f"column {error.place.column}: {error.message}")
            return ()

    def parameters(self, where: str = "parameters") -> tuple[Parameter, ...]:
        """The parameters: each text brings in the first new name of it; one without relation ranges over the reals."""
        found: dict[str, Parameter] = {}
        meanings = {**self.shared.meanings, **self.mapping("meanings")}
        for n, text in enumerate(self.list(where)):
            key = f"{where}[{n}]"
            words = text.split() if isinstance(text, str) else []
            integer = words[:1] == ["integer"]
            body = text.split("integer", 1)[1].strip() if integer else text
            bare = isinstance(body, str) and body.isidentifier()
            chain = () if bare else self.chain(key, body)
            if not (bare or chain):
                continue
            names = _NAME.findall(str(body))
            free = {body} if bare else frozenset().union(*(r.free for r in chain))
            spoken = [x for x in dict.fromkeys(names) if x in free]
            new = spoken if integer else [x for x in spoken if x not in found] or spoken  # the integer is named first
            if not new:
                self.fault(key, f"{body!r} speaks of no name")
                continue
            old = found.get(new[0], Parameter(new[0], meanings.get(new[0], ""), (), integer))
            domain = (*old.domain, *map(str, chain))
            found[new[0]] = Parameter(old.symbol, old.meaning, domain, old.integer or integer)
        return tuple(found.values())

    def declared(self, parameters: Iterable[Parameter]) -> dict[str, str]:
        """The sorts of names that are no parameters."""
        found = {str(n): "random real" for n in self.list("random") if isinstance(n, str)}
        for name, sort in self.mapping("declares").items():
            if found.setdefault(name, sort) != sort:
                self.fault("declares", f"{name} is in random already, and here {sort}; two things, two names")
        for name in sorted(found.keys() & {q.symbol for q in parameters}):
            where = next(r for q in parameters if q.symbol == name for r in (*q.domain, ""))
            told = f"{name} is a parameter already"
            if where and found[name] not in ("real", "integer"):
                told += f", by {where!r}: a parameter is a number; what is assumed of a {found[name]} is a hypothesis"
            self.fault("declares", told)
        for name in found:
            if not name.isidentifier():
                self.fault("declares", f"{name!r} is no name")
        try:
            check_declared(found)
        except SortError as error:
            self.fault("declares", str(error))
        return found

    def fact(self, key: str, text: Any, known: frozenset[str]) -> Fact | None:
        """An assertion with its range."""
        if not isinstance(text, str):
            self.fault(key, "a text is wanted")
            return None
        declared = self.table.get("declares")
        functions = frozenset(declared if isinstance(declared, dict) else ())
        names = frozenset(_NAME.findall(text))
        try:
            return _fact(text, functions & names, known & names)
        except NotationError:
            pass  # told with all functions, of which one may have been meant
        try:
            return _fact(text, functions, known)
        except NotationError as error:
            self.fault(key, f"column {error.place.column}: {error.message}")
            return None

    def hypotheses(self, known: frozenset[str]) -> dict[str, Fact]:
        """The hypotheses by name."""
        found = {k: self.fact(f"hypotheses.{k}", v, known) for k, v in self.mapping("hypotheses").items()}
        return {k: f for k, f in found.items() if f is not None}

    def twins(self) -> tuple[Twin, ...]:
        """The planted falsehoods."""
        found = []
        for n, twin in enumerate(self.list("twins")):
            change = twin.get("change") if isinstance(twin, dict) else None
            texts = isinstance(change, dict) and all(isinstance(v, str) for v in change.values())
            if not texts or not change or not isinstance(twin.get("what", ""), str):
                self.fault(f"twins[{n}]", 'write {what = "...", change = {"old text" = "new text"}}')
                continue
            world = self.world(f"twins[{n}]", twin) if "world" in twin or "like" in twin else {}
            found.append(Twin(twin.get("what", ""), dict(change), world))
        return tuple(found)

    def world(self, key: str, twin: Mapping[str, Any]) -> dict[str, str]:
        """The values of names in a twin's small world: of the settings, of the one that it is like, its own."""
        used = self.table.get("as_used")
        theirs = used.get("settings", []) if isinstance(used, dict) else []
        names = [*self.list("settings"), *theirs, twin.get("like")]
        parts = [s.table.get("world", {}) for name in names for s in _extended(self.settings, name)]
        parts.append(twin.get("world", {}))
        found = {k: v for part in parts if isinstance(part, dict) for k, v in part.items()}
        fits = all(isinstance(part, dict) for part in parts) and all(isinstance(v, str) for v in found.values())
        if not fits or twin.get("like") not in (None, *self.settings):
            self.fault(key, 'write world = {x = "1", "X(i)" = "w(i)"}; like is the name of a setting')
            return {}
        return found

    def first_line(self, proof: str) -> int:
        """The line of the file on which the proof begins, 1 where that cannot be told."""
        at = self.shared.source.find(proof) if proof.strip() else -1
        return 1 + self.shared.source.count("\n", 0, at) if at >= 0 else 1
