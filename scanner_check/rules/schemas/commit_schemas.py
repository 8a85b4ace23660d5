"""The schemas of two commits: each text that a subject has on one side only, and copies that do not follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from scanner_check.inputs.files import ProposedFiles
from scanner_check.inputs.git import Trees
from scanner_check.inputs.input_files import format_of
from scanner_check.inputs.positions import Positions
from scanner_check.inputs.proposals import SCHEMA, Proposal, Target
from scanner_check.model import ChangeFinding, Place, Verdict
from scanner_check.rows.files import NOT_READ
from scanner_check.rows.schemas import COPIES_DIFFER, LEVEL_CHANGED, NO_READERS_KNOWN, SCHEMA_ADDED, SYMBOLS_REMOVED
from scanner_check.rows.table import row_of
from scanner_check.rules.coverage.file_findings import DeletionContext, check_deleted
from scanner_check.rules.schemas.contracts import without_reader
from scanner_check.rules.schemas.invalid_schemas import invalid_schema
from scanner_check.rules.schemas.schema_change import check_schema
from scanner_check.rules.schemas.schema_sides import DEFAULT_LEVEL, ProposedReferences, SchemaContext
from scanner_check.sides.commit import Commit
from scanner_check.users.hits import Hits
from scanner_extractor.evolution import Level, SchemaText, differences
from scanner_extractor.evolution.configured import same_but_for_words
from scanner_extractor.formats.protobuf.declarations import Enum
from scanner_extractor.formats.protobuf.parser import parse_proto
from scanner_extractor.repository.undeclared import why_harmless
from scanner_extractor.schemas.references import Find, finder, resolve
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.schemas import SchemaVersion

_OF_SCHEMAS = ("subject ", "topic ")


class SchemaComparison:
    """Compares the schemas of two commits; *hits* are looked up in the graph of the first."""

    def __init__(self, base: Commit, head: Commit, trees: Trees, hits: Hits) -> None:
        self._base, self._head, self._trees = base, head, trees
        self._running: Mapping[str, Sequence[ChangeFinding]] = {}
        self._subjects: dict[str, frozenset[str]] = {}
        for path in trees.changed:
            listed = (commit.reading.schema_files.get(path, ()) for commit in (base, head))
            if subjects := frozenset(subject for one in listed for subject in one):
                self._subjects[path] = subjects
        self._files = list(self._subjects)
        newest = [self._proposal(subject, texts[-1]) for subject, texts in head.schemas.items()]
        self._context = SchemaContext(conn=hits.conn, hits=hits, proposed=ProposedReferences(newest))
        self._deletion = DeletionContext(base.dictionary, hits, None)

    @property
    def changed(self) -> tuple[Proposal, ...]:
        """Return the newest text of each subject whose text is another one at the second commit."""
        before = self._base.schemas
        listed = ((subject, texts[-1]) for subject, texts in sorted(self._head.schemas.items()))
        return tuple(
            replace(self._proposal(subject, text), base=(before.get(subject) or ("",))[-1])
            for subject, text in listed
            if text not in before.get(subject, ())
        )

    def findings(self, running: Mapping[str, Sequence[ChangeFinding]]) -> Iterator[ChangeFinding]:
        """Yield what the registry rejects, and whom the change of each subject hits.

        *running* was found already of what runs, by its target: such a subject is not compared again.
        """
        self._running = running
        before, after = self._base.schemas, self._head.schemas
        renamed = self._renamed
        for subject, texts in sorted(before.items()):
            if subject in self._invalid:
                continue  # its file is reported as a whole
            kept = after.get(renamed.get(subject, subject), ())
            new: list[str | None] = [text for text in kept if text not in texts]
            restated = self._restated(subject, texts, kept) if len(texts) == len(kept) > 1 else frozenset()
            new = [text for text in new if text not in restated]
            is_known = bool(kept) and kept[-1] in restated
            newest = [kept[-1] if kept else None] if kept[-1:] != texts[-1:] and not is_known else []
            for text in new or newest or (kept[-1:] if subject in self._behind_references else ()):
                yield from self._changed(self._proposal(subject, text))
        for subject in sorted(after.keys() - before.keys() - set(renamed.values())):
            place = Place(file=self._file(subject))
            yield SCHEMA_ADDED.found(Verdict.FINE, place, f"subject {subject}")

        yield from self._levels()

    def _restated(self, subject: str, before: Sequence[str], after: Sequence[str]) -> frozenset[str]:
        """Return the texts that say what the same version said, whatever the others say.

        They differ in documentation; one that is not the newest may also accept the same data in another form.
        """
        format = format_of(self._file(subject), after[-1])
        pairs = [(was, now) for was, now in zip(before, after, strict=True) if was != now]
        same = {now for was, now in pairs if same_but_for_words(format, was, now)}
        older = [(SchemaText(was), SchemaText(now)) for was, now in pairs if now != after[-1] and now not in same]
        same |= {
            now.text for was, now in older if not differences(format, was, now) and not differences(format, now, was)
        }
        return frozenset(same)

    @cached_property
    def _invalid(self) -> frozenset[str]:
        """Return the subjects without a text at the second commit because a file of theirs is not read there."""
        files = self._base.reading.schema_files
        lost = (name for path, names in files.items() if path in self._head.unread for name in names)
        return frozenset(lost) - self._head.schemas.keys()

    @cached_property
    def _renamed(self) -> Mapping[str, str]:
        """Return the subjects whose only file has another subject now, each with that: its schema stays one."""
        pairs: dict[str, str] = {}
        for path in self._files:
            before, after = (commit.reading.schema_files.get(path, ()) for commit in (self._base, self._head))
            if len(before) == len(after) == 1 and before != after:
                is_old = before[0] not in self._head.schemas and after[0] not in self._base.schemas
                pairs |= {before[0]: after[0]} if is_old and after[0] not in pairs.values() else {}
        return pairs

    def _levels(self) -> Iterator[ChangeFinding]:
        """Yield the compatibility levels that change: a looser one lets go what the former would reject."""
        before, after = self._base.reading.levels, self._head.reading.levels
        for subject in sorted(before.keys() | after.keys()):
            old, new = (levels.get(subject) or levels.get("", "") for levels in (before, after))
            if old == new:
                continue
            is_looser = not _strictness(Level.parse(old) or DEFAULT_LEVEL) <= _strictness(
                Level.parse(new) or DEFAULT_LEVEL
            )
            verdict = Verdict.UNKNOWN if is_looser else Verdict.FINE
            place, target = Place(file=self._level_file(subject)), f"subject {subject}" if subject else "the registry"
            yield LEVEL_CHANGED.found(verdict, place, target, old or "", new or "")

    def _level_file(self, subject: str) -> str:
        """Return the changed file that may set the level of a subject: that of its schema, or of Terraform."""
        own = next((path for path, subjects in self._subjects.items() if subject in subjects), "")
        files = [path for path in self._trees.changed if path.endswith(".tf")]
        return next(
            iter([own, *files] if own.endswith((".yaml", ".yml", ".json")) else files or self._trees.changed), ""
        )

    def _changed(self, proposal: Proposal) -> Iterator[ChangeFinding]:
        judged = self._running.get(f"subject {proposal.target.subject}") or self._of_file(proposal.file)
        if judged:
            yield from self._left_copies(proposal, judged)
            return
        try:
            if proposal.text is None:
                listed = check_deleted(proposal, ProposedFiles(proposals=(proposal,)), self._deletion)[1]
            else:
                listed = check_schema(proposal, self._context)[1]
        except (InputInvalid, NameUnknown) as error:
            target = f"subject {proposal.target.subject}"
            place = Place(file=proposal.file)
            before = (self._base.schemas.get(proposal.target.subject) or ("",))[-1]
            text = proposal.text or ""
            format = format_of(proposal.file, text)
            if found := tuple(invalid_schema(place, target, format, SchemaText(text), lambda: before)):
                yield from found
                return
            yield NOT_READ.unknown(place, target, error.what)
            return
        yield from listed or self._symbols(proposal)
        if any(finding.verdict is Verdict.FINE and row_of(finding).needs_reader for finding in listed):
            yield without_reader(listed[0], proposal.target.subject)
        yield from self._left_copies(proposal, listed)

    def _of_file(self, file: str) -> list[ChangeFinding]:
        """Return what was found of the only subject of a file, which has another name where it runs."""
        of_schemas = (
            one for target, listed in self._running.items() if target.startswith(_OF_SCHEMAS) for one in listed
        )
        return [one for one in of_schemas if one.place.file == file] if len(self._subjects.get(file, ())) == 1 else []

    def _left_copies(self, proposal: Proposal, listed: Sequence[ChangeFinding]) -> Iterator[ChangeFinding]:
        """Yield the copies of a schema's file that do not change with it."""
        changes = [finding for finding in listed if row_of(finding) is not NO_READERS_KNOWN]
        if changes and (copies := self._copies.get(proposal.file)):
            reasons = tuple(dict.fromkeys(finding.message for finding in changes))
            message = COPIES_DIFFER.message(len(copies), copies)
            named = replace(changes[0], rule=COPIES_DIFFER.name, message=message, reasons=reasons)
            yield replace(named, verdict=Verdict.IMPACT, item="")

    def _symbols(self, proposal: Proposal) -> Iterator[ChangeFinding]:
        """Yield the enums of a Protobuf file without messages that lose or renumber symbols."""
        if not proposal.file.endswith(".proto") or not (before := self._base.schemas.get(proposal.target.subject)):
            return
        old, new = (dict(_enums(text)) for text in (before[-1], proposal.text or ""))
        for name, symbols in old.items():
            if lost := [symbol for symbol, number in symbols if (symbol, number) not in new.get(name, ())]:
                place = Positions(proposal.file, proposal.text or "").word(name)
                target = f"subject {proposal.target.subject}"
                yield SYMBOLS_REMOVED.unknown(place, target, name, tuple(lost), form="of an enum", item=name)

    @cached_property
    def _behind_references(self) -> frozenset[str]:
        """Return the subjects whose own text stays, and that refer to a schema that changes, through any other."""
        users: dict[str, set[str]] = {}
        for version in self._head.reading.of(SchemaVersion):
            for reference in version.references:
                users.setdefault(reference.subject, set()).add(version.subject)
        found: set[str] = set()
        changed = {subject for subject, texts in self._head.schemas.items() if self._base.schemas.get(subject) != texts}
        while changed:
            changed = {user for subject in changed for user in users.get(subject, ())} - found
            found |= changed
        return frozenset(found)

    @property
    def _copies(self) -> Mapping[str, tuple[str, ...]]:
        """Return by the path of each changed file those whose content was the same, and is not changed."""
        base, head = self._trees.base, self._trees.head
        alike: dict[str, tuple[str, ...]] = {base[path]: () for path in self._files if path in base}
        for path, content in base.items():
            if content in alike and head.get(path) == content:
                alike[content] = (*alike[content], path)
        return {path: alike[base[path]] for path in self._files if path in base and not self._is_in_series(path)}

    def _is_in_series(self, path: str) -> bool:
        """Return whether the new text of a file is also one of its own beside it: the copies are older versions."""
        folder, head = path.rpartition("/")[0], self._trees.head
        new = (other for other in self._trees.changed if other not in self._trees.base and other in head)
        return any(other.rpartition("/")[0] == folder and head[other] == head.get(path) for other in new)

    def _proposal(self, subject: str, text: str | None) -> Proposal:
        return Proposal(
            file=self._file(subject),
            text=text,
            kind=SCHEMA,
            target=Target(subject=subject),
            references=self._references_of(subject, text),
        )

    def _references_of(self, subject: str, text: str | None) -> Mapping[str, str]:
        """Return the texts that a schema of the second commit refers to: what it newly refers to is only there."""
        version = self._versions.get((subject, text or ""))
        return resolve(version, self._find).texts if version and version.references else {}

    @cached_property
    def _versions(self) -> Mapping[tuple[str, str], SchemaVersion]:
        return {(version.subject, version.text): version for version in self._head.reading.of(SchemaVersion)}

    @cached_property
    def _find(self) -> Find:
        return finder(self._head.reading.of(SchemaVersion))

    def _file(self, subject: str) -> str:
        """Return the changed file of a subject; of several, one that is called like it."""
        stem = subject.rpartition(".")[2].removesuffix("-value").removesuffix("-key").casefold()
        own = [path for path in self._files if subject in self._subjects[path]]
        own = [path for path in own if not why_harmless(path)] or own  # a copy for tests stands for nothing
        alike = [path for path in own if stem in path.rpartition("/")[2].casefold()]
        return next(iter(alike or own or self._files or self._trees.changed), "")


def _enums(text: str) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    return ((body.name, body.values) for body in parse_proto(text).types if isinstance(body, Enum))


def _strictness(level: Level) -> frozenset[str]:
    """Return what a level requires; a stricter one requires that, too."""
    required = {"backward": level.backward, "forward": level.forward, "transitive": level.transitive}
    return frozenset(name for name, is_required in required.items() if is_required)
