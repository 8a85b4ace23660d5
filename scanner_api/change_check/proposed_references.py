"""The texts that a proposed schema refers to: those that the user named, the registry's, and others of its change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath

from scanner_api.change_check.proposals import Proposal
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.subjects import SubjectKey, VersionKey, version_fact, version_finder
from scanner_extractor.formats.avro.names import defined_names
from scanner_extractor.schemas.references import resolve
from scanner_model.names import SubjectName
from scanner_model.schemas import SchemaVersion

_QUOTED = re.compile(r'"([^"\n#]+)')


class ProposedReferences:
    """The schemas of one change, by what references may call them."""

    def __init__(self, proposed: Iterable[Proposal] = ()) -> None:
        self._texts: dict[str, str] = {}
        self._by_name: dict[str, dict[str, Proposal]] = {}
        for proposal in proposed:
            if proposal.text is not None:
                if proposal.target.subject:
                    self._texts[proposal.target.subject] = proposal.text
                for name in _names_of(proposal):
                    self._by_name.setdefault(name, {})[proposal.file] = proposal

    def of(
        self,
        proposal: Proposal,
        conn: Connection,
        subject: SubjectKey | None = None,
        newest: VersionKey | None = None,
    ) -> Mapping[str, str]:
        """Return the texts that *proposal* is read with, by the names of its references.

        They are those that the user named, those of the *newest* version of its *subject*, with the proposed text where
        the change has one, then those of the change that it names.
        """
        stored = self._of_version(conn, subject, newest) if subject and newest else {}
        return {**dict(self._named_by(proposal)), **stored, **proposal.references}

    def _of_version(self, conn: Connection, subject: SubjectKey, newest: VersionKey) -> Mapping[str, str]:
        find = version_finder(conn, subject.registry_id)

        def find_proposed(at: str, name: SubjectName, number: int) -> SchemaVersion | None:
            version = find(at, name, number)
            return version and replace(version, text=self._texts.get(name, version.text))

        return resolve(version_fact(conn, newest.id), find_proposed).texts

    def _named_by(self, proposal: Proposal) -> Iterator[tuple[str, str]]:
        """Yield the name and text of each other schema of the change that is named in the text, or in one that is.

        A name that several schemas have is of none.
        """
        own, seen, waiting = set(defined_names(proposal.text or "")), {proposal.file}, [proposal.text or ""]
        while waiting:
            for name in dict.fromkeys(_QUOTED.findall(waiting.pop())):
                found = [other for other in self._by_name.get(name, {}).values() if other.file not in seen]
                if len(found) == 1 and (text := found[0].text) and own.isdisjoint(defined_names(text)):
                    seen.add(found[0].file)
                    waiting.append(text)
                    yield name, text


def _names_of(proposal: Proposal) -> Iterator[str]:
    """Yield what a reference may call a proposed schema: its subject, the ends of its path, its types in Avro."""
    parts = PurePath(proposal.file).parts
    yield from ("/".join(parts[start:]) for start in range(len(parts)))
    yield proposal.target.subject
    for name in defined_names(proposal.text or ""):
        yield from (name, name.rpartition(".")[2])
