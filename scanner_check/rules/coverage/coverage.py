"""The law of coverage: each changed line is of something that is judged, is of no concern for a reason, or is unknown.

A file is judged by what it is: its schemas, statements and declarations are compared, its settings are judged one by
one, its commands by their tools, its code by what it reaches. What remains may matter if it names a topic, connector or
subject; then its effect is unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.kinds import CountedJob
from dataflow_generator.jobs.model import GraphDataset
from scanner_check.edits.client_settings import code_edits, constant_edits, meaning_of_code
from scanner_check.edits.commands import ChangedCommand, changed_commands
from scanner_check.edits.documents import Document, is_document, read_documents
from scanner_check.edits.libraries import is_build_file, is_catalog, library_edits, start_edits
from scanner_check.edits.lines import hunks
from scanner_check.edits.requests import maps_table, request_lines
from scanner_check.edits.settings import Setting
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.knowledge.clients import Meaning, is_of_framework, meaning_of, names_concept
from scanner_check.knowledge.names import all_words
from scanner_check.model import ChangeFinding, Message, Place, Verdict, literal
from scanner_check.rows.files import NOT_JUDGED
from scanner_check.rows.flows import JOB_STOPPED
from scanner_check.rules.coverage.file_findings import quoted
from scanner_check.rules.coverage.setting_rules import Effect, SettingRules
from scanner_check.rules.flows.program_changes import ProgramChanges
from scanner_check.sides import mentions
from scanner_check.sides.commit import Commit, files_using, read_by, written_by
from scanner_check.users.hits import Hits
from scanner_extractor.repository.applications.settings import is_settings_file
from scanner_extractor.repository.contracts import ASYNCAPI, CONTRACT
from scanner_extractor.repository.files import RepositoryFile, is_candidate, is_left_out
from scanner_extractor.repository.migrations import Migration, is_migration, read_migration
from scanner_extractor.repository.notebooks import ENDING, code_of
from scanner_extractor.repository.topic_files.forms import DESCRIPTION
from scanner_extractor.repository.undeclared import is_program, names_in_text, why_harmless
from scanner_model.catalogs import CatalogTable

COMPARED = frozenset(("schema", "connector", "SQL", CONTRACT, ASYNCAPI, DESCRIPTION))
"""Kinds of files whose facts are all compared."""
FACTS = COMPARED - {"SQL"}
"""Those whose changes say nothing more of a program that loads them; a query in a file may be anything to it."""
_LISTED = 10
_KEY = re.compile(r"[A-Za-z_][\w.-]*(?=[\"']?\s*[:=])")
"""A word that a value follows, in a line of any syntax."""
_WORD = re.compile(r"\w+")
_ADDS = re.compile(r"CREATE TABLE |ALTER TABLE \S+ ADD COLUMN ")
_STARTED = re.compile(r"(?:^|/)(?:sitecustomize\.py|usercustomize\.py|META-INF/services/|META-INF/spring[/.])")
"""Files that a language or framework loads by itself when a program starts. Source: Python's site, ServiceLoader."""
_SHOWN = 3


class Coverage:
    """Judges what changed files hold beyond their facts; *judged* are the changed files that are read, by kind."""

    def __init__(
        self,
        commits: tuple[Commit, Commit],
        trees: Trees,
        judged: Mapping[str, str],
        hits: Hits,
        objects: ObjectReader,
        programs: ProgramChanges,
    ) -> None:
        self._commits = commits
        self._judged, self._hits, self._programs = judged, hits, programs
        self.rules = SettingRules(commits, trees, programs, objects)

    def findings(
        self,
        texts: Mapping[str, tuple[str, str]],
        renamed: Collection[str],
        *,
        uses_tables: bool,
        are_tables_known: bool,
    ) -> Iterator[ChangeFinding]:
        """Yield what is unknown of the changed files, whose *texts* are those of both commits, by path.

        *renamed* paths have the content of another one. *uses_tables*: a job may read or write a table of a database;
        *are_tables_known*: all of these are known by name.
        """
        moved = frozenset(path.rpartition("/")[2] for path in renamed)
        for path, (before, after) in texts.items():
            if path not in renamed:
                yield from self._migration(path, before, after, is_any=uses_tables and not are_tables_known)
                yield from self._loaded(path, before, after)
            if path not in renamed and (not self._is_compared(path) or self.rules.is_of_form(path)):
                yield from self._of_file(path, (before, after), moved, uses_tables=uses_tables)

    def _is_compared(self, path: str) -> bool:
        return self._judged.get(path) in COMPARED or path.lower().endswith((".sql", ".ksql"))

    def _of_file(
        self, path: str, both: tuple[str, str], moved: Collection[str], *, uses_tables: bool
    ) -> Iterator[ChangeFinding]:
        before, after = both
        if path.endswith(ENDING):
            yield from self._notebook(path, before, after)
        elif is_build_file(path):
            yield from self._libraries(path, before, after)
        elif is_program(path):
            yield from self._code(path, before, after, uses_tables=uses_tables)
        elif mentions.is_script(path):
            is_shell = mentions.is_shell(path)
            sends = any(path in files_using(job) for job in self._commits[0].jobs if written_by(job))
            yield from self._commands(path, changed_commands(before, after, moved, is_shell=is_shell, sends=sends))
        elif is_document(path):
            yield from self._settings(path, before, after)

    # --- files that programs load

    def _loaded(self, path: str, before: str, after: str) -> Iterator[ChangeFinding]:
        """Yield a file that programs load by its name, such as a template, a query or a mapping.

        The settings in a file that code reads one by one are judged as such, and so is code that another file names.
        """
        if _STARTED.search(path):
            started = self._programs.programs_of(self._programs.modules.of(path))
            yield from self._of_programs(Place(file=path), Message("loaded", ()), started, is_read=True)
            return
        if not before or is_program(path) or is_build_file(path) or is_settings_file(path):
            return
        jobs = self.rules.readers.jobs_loading(path)
        if jobs is None or self._judged.get(path) in FACTS:
            return
        line = self._line_of_data(path, before, after)
        if line and any(written_by(job) for job in jobs):
            yield from self._of_programs(Place(file=path, line=line), Message("loaded", ()), jobs)

    def _line_of_data(self, path: str, before: str, after: str) -> int:
        """Return the first changed line that is data, not a setting or layout; 0 without one."""
        edits = self.rules.edits(path) if is_document(path) and after else None
        if edits is None:
            same = before.split() == after.split()
            return 0 if same else max(1, hunks(before, after)[0].line_after)
        data = (
            edit
            for edit, _ in edits
            if meaning_of(all_words(edit.keys)) is not Meaning.NOTHING and not self.rules.readers.is_named(edit.keys)
        )
        return next((edit.line for edit in data), 0)

    # --- code, build files, scripts

    def _code(self, path: str, before: str, after: str, *, uses_tables: bool) -> Iterator[ChangeFinding]:
        """Yield code whose effect on topics is not seen by what it sends: mapped tables and requests to registries."""
        if path not in self._programs.edited:
            return
        yield from self._reader_settings(path, before, after)
        if uses_tables and maps_table(before + after):
            yield NOT_JUDGED.unknown(Place(file=path), path, form="mapped class")
        if lines := request_lines(before, after):
            reasons = tuple(literal(quoted(line)) for _, line in lines[:_LISTED])
            yield NOT_JUDGED.unknown(Place(file=path, line=lines[0][0]), path, form="requests", reasons=reasons)

    def _reader_settings(self, path: str, before: str, after: str) -> Iterator[ChangeFinding]:
        """Yield the settings in code by which a program reads, such as its group: what it sends is compared.

        The value of one may have a name, and another file may give it.
        """
        files, is_own = self._programs.texts_of(path), path in self._programs.applications
        if files is None:
            return
        edits = [edit for edit in code_edits(*files) if is_own and meaning_of_code(edit) is Meaning.READERS]
        edits += [edit for edit in constant_edits(*files, is_own=is_own) if self.rules.readers.takes(edit.path[-1])]
        if edits:
            of_module = list(self._programs.programs_of(self._programs.modules.of(path)))
            jobs = [job for job in of_module if path in files_using(job)] or of_module
            place = Place(file=path, line=_line_with((edits[0].path[-1], *edits[0].values), before, after))
            yield from self._of_programs(place, _shown(edits), jobs, is_read=True)

    def _migration(self, path: str, before: str, after: str, *, is_any: bool) -> Iterator[ChangeFinding]:
        """Yield a migration of a table that a job captures, if it is not read, or alters more than columns by name.

        Of a table whose columns no file declares, no comparison sees what a migration does. *is_any*: a job may
        capture a table of any name.
        """
        files = RepositoryFile(path, before), RepositoryFile(path, after)
        is_known = any(map(is_migration, files))
        if path.lower().endswith(".sql") or not (is_known or "migrat" in path.lower()):
            return
        listed = (line for hunk in hunks(before, after) for line in (*hunk.before, *hunk.after))
        changed = {word.casefold() for line in listed for word in _WORD.findall(line)}
        named = sorted(self._tables & {table for word in changed for table in (word, f"{word}s")})
        old, new = map(read_migration, files)
        if named and not (is_known and self._is_interpreted(old, new, named)):
            what = Message("migration", (tuple(named),))
            jobs = [job for job in self._commits[0].jobs if self._tables_of(job).intersection(named)]
            yield from self._of_programs(Place(file=path), what, jobs, is_read=True)
        elif is_any and not named and (old.left != new.left or not all(map(_ADDS.match, _differing(old, new)))):
            yield NOT_JUDGED.unknown(Place(file=path), path, form="migrations")

    def _is_interpreted(self, before: Migration, after: Migration, named: Iterable[str]) -> bool:
        """Return whether comparisons see what a migration does now to the tables *named*.

        The columns of a table that no file creates are not known, so that their loss is not compared.
        """
        if Counter(before.left) != Counter(after.left):
            return False
        takes = [code for code in _differing(before, after) if not _ADDS.match(code)]
        tables = self._commits[0].reading.of(CatalogTable)
        left = {*named} - {table.name.rpartition(".")[2].casefold() for table in tables if table.columns}
        words = {word.casefold() for code in takes for word in _WORD.findall(code)}
        return left.isdisjoint((*words, *(word.rpartition("_")[2] for word in words)))

    @cached_property
    def _tables(self) -> frozenset[str]:
        return frozenset(name for job in self._commits[0].jobs for name in self._tables_of(job))

    @staticmethod
    def _tables_of(job: CountedJob) -> frozenset[str]:
        """Return the tables that a job reads, by the last part of their names in small letters."""
        read = (one.name for one in read_by(job) if one.kind is not NodeKind.TOPIC)
        last = [name.rpartition(".")[2].casefold() for name in read]
        return frozenset((*last, *(name.rpartition("_")[2] for name in last)))

    def _notebook(self, path: str, before: str, after: str) -> Iterator[ChangeFinding]:
        """Yield a notebook whose code changes: its topics are compared, what it does with their records is not."""
        old, new = (" ".join((code_of(path, text) or ("", text))[1].split()) for text in (before, after))
        if old != new and self._judged.get(path):
            yield NOT_JUDGED.unknown(Place(file=path), path, form="notebook")

    def _libraries(self, path: str, before: str, after: str) -> Iterator[ChangeFinding]:
        own = self._programs.build_names  # what the repository builds itself is compared as code
        edits = [edit for edit in library_edits(before, after) if edit[0] not in own]
        edits = [edit for edit in edits if "→" in edit[2] or not is_catalog(path)]
        jobs = list(self._programs.programs_of(self._programs.modules.of(path)))
        if edits and (jobs or any(did != "added" for _, _, did in edits)):  # what did not use Kafka writes no record
            what = Message("library", (tuple(f"{name} {did}" for name, _, did in edits[:_LISTED]),))
            yield from self._of_programs(Place(file=path, line=edits[0][1]), what, jobs)

        runs = bool(jobs) or bool(self._programs.unresolved_program(path))
        if runs and (started := start_edits(path, before, after)):
            yield from self._of_programs(Place(file=path, line=started[0].line), _shown(started), jobs, is_read=True)

    def _commands(self, path: str, commands: Sequence[ChangedCommand]) -> Iterator[ChangeFinding]:
        if commands:
            first = next((one for one in commands if not one.is_gone), commands[0])
            reasons = tuple(literal(quoted(one.text)) for one in commands[:_LISTED])
            yield NOT_JUDGED.unknown(Place(file=path, line=first.line), path, form="commands", reasons=reasons)

    # --- settings

    def _settings(self, path: str, before: str, after: str) -> Iterator[ChangeFinding]:
        edits = self.rules.edits(path)
        if edits is None:
            yield from self._unparsed(path, before, after)
            return
        if "databaseChangeLog" in before + after:
            return
        grouped: dict[tuple[Effect, tuple[str, ...]], tuple[tuple[CountedJob, ...], list[Setting]]] = {}
        for edit, (effect, jobs) in edits:
            if effect in (Effect.UNKNOWN, Effect.STOPPED, Effect.ACCESS):
                names = tuple(sorted(job.flows.job.name for job in jobs))
                grouped.setdefault((effect, names), (jobs, []))[1].append(edit)
        for (effect, _), (jobs, listed) in grouped.items():
            place = Place(file=path, line=listed[0].line)
            if effect is Effect.STOPPED:
                yield from self._stopped(place, listed, jobs)
            else:
                is_read, named = effect is Effect.ACCESS, self._named_in(listed)
                yield from self._of_programs(place, _shown(listed), jobs, is_read=is_read, named=named)

    def _named_in(self, edits: Iterable[Setting]) -> Iterator[GraphDataset]:
        """Yield the topics that the values of edits name and that the first commit uses."""
        used = {one.name: one for one in self._commits[0].used if one.kind is NodeKind.TOPIC}
        for edit in edits:
            for value in edit.values:
                yield from (used[name] for name in names_in_text(value, used, edit.keys) if name in used)

    def _unparsed(self, path: str, before: str, after: str) -> Iterator[ChangeFinding]:
        """Yield a file of settings that cannot be parsed: of Kafka programs, or with changed lines about Kafka."""
        documents = read_documents(path, before) if after else None
        if documents and (self.rules.is_of_form(path) or self.rules.concerns(path, documents)):
            place = Place(file=path, line=hunks(before, after)[0].line_after)
            yield NOT_JUDGED.unknown(place, path, form="broken file")
            return
        for hunk in hunks(before, after):
            for number, line in enumerate((*hunk.after, *hunk.before), hunk.line_after):
                name = all_words(_KEY.findall(line))
                meaning = meaning_of(name)
                if meaning is not Meaning.NOTHING and (meaning or names_concept(name) or is_of_framework(name)):
                    place = Place(file=path, line=min(number, after.count("\n") + 1))
                    yield NOT_JUDGED.unknown(place, path, quoted(line), form="invalid file")
                    return

    def _stopped(self, place: Place, edits: Sequence[Setting], jobs: Sequence[CountedJob]) -> Iterator[ChangeFinding]:
        """Yield the programs that an edit stops, or what else it is of."""
        if not jobs:
            target = f"{edits[0].document.kind} {edits[0].document.name}".strip()
            yield NOT_JUDGED.unknown(place, target, message=_shown(edits))
        for job in jobs:
            written = sorted(written_by(job))
            name = job.flows.job.name
            yield JOB_STOPPED.found(
                Verdict.IMPACT if written else Verdict.FINE,
                place,
                f"job {name}",
                name,
                tuple(dataset.name for dataset in written),
                edits[0].shown,
                item=name,
                affected=self._hits.readers(written),
            )

    # --- findings

    def _of_programs(
        self,
        place: Place,
        what: Message,
        jobs: Iterable[CountedJob],
        *,
        is_read: bool = False,
        named: Iterable[GraphDataset] = (),
    ) -> Iterator[ChangeFinding]:
        """Yield one finding that names the programs, with whoever reads what they write or what the edit has *named*.

        A program that only reads is hit where *is_read*, and if it is a connector: what that writes need not be known.
        """
        listed = list({job.flows.job.name: job for job in jobs}.values())
        written = {dataset for job in listed for dataset in written_by(job)}
        hit = sorted(written.union(named))
        read = sorted({dataset.name for job in listed for dataset in read_by(job)})
        names = tuple(job.flows.job.name for job in listed)
        target = f"job {names[0]}" if len(listed) == 1 else place.file
        topics = tuple(dataset.name for dataset in hit)
        reasons = [Message("reads", (tuple(read[:_LISTED]),))] if read else []
        reasons += [Message("writes", (tuple(one.name for one in sorted(written)[:_LISTED]),))] if written else []
        is_read = is_read or any("connector" in str(dict(job.flows.job.attributes).get("type", "")) for job in listed)
        verdict = Verdict.UNKNOWN if hit or is_read or not listed else Verdict.FINE
        if not names and (name := self._programs.unresolved_program(place.file)):
            names, is_read, target = (name,), True, f"job {name}"
        message = NOT_JUDGED.message(what, names, topics, is_read, form="of programs")
        users = self._hits.readers(hit)
        yield NOT_JUDGED.found(verdict, place, target, message=message, reasons=tuple(reasons), affected=users)


def _differing(before: Migration, after: Migration) -> set[str]:
    """Return the statements that only one of two texts of a migration runs."""
    return {*before.statements} ^ {*after.statements}


def _line_with(words: Iterable[str], before: str, after: str) -> int:
    """Return the first changed line with one of some words, without their quotation marks; else the first one."""
    plain = [word.strip("'\"") for word in words]
    changed = [
        (number, line) for hunk in hunks(before, after) for number, line in enumerate(hunk.after, hunk.line_after)
    ]
    return next((number for number, line in changed if any(word in line for word in plain)), 1)


def is_covered(path: str) -> bool:
    """Return whether a file may hold more than documentation, assets, tests and vendored files."""
    return not why_harmless(path) and not is_left_out(path) and is_candidate(path)


def _shown(edits: Sequence[Setting]) -> Message:
    """Return what the first of *edits* do; of an object that comes or goes, that."""
    shown = []
    for edit in edits:
        document = edit.document
        name = _object_name(document)
        is_whole = (edit.is_removed or edit.is_added) and name
        did = "object removed" if edit.is_removed else "object added"
        shown.append(Message(did, (name,)) if is_whole else Message("setting", (edit.shown,)))
    return Message("edits", tuple(list(dict.fromkeys(shown))[:_SHOWN]))


def _object_name(document: Document) -> str:
    """Return the name of an object as its file has it; empty for any other document."""
    if document.api == "terraform":
        return " ".join(
            (*document.kind.split()[:1], *(f'"{label}"' for label in (*document.kind.split()[1:], document.name)))
        )
    return f"{document.kind} {document.name}".strip()
