"""The generated input behind the tests' fake registry, in a process of its own; its first line is its URL."""

from __future__ import annotations

import argparse
import operator
import sys
import threading
from functools import cached_property
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes"))
sys.path.insert(0, str(Path(__file__).parent))

from confluent_registry import FLAVOURS, Registry, Stored, serving
from installation import schemas, topic_name, value_schema


class Indexed(Registry):  # type: ignore[misc]  # a fake beside the tests
    """The fake with its subjects sorted once: no figure should be that of the fake.

    While the file *flag* exists, the first subject has a further version, *added*.
    """

    flag: Path | None = None
    added: Stored | None = None

    @cached_property
    def _sorted(self) -> list[Stored]:
        return list(super().visible())

    @cached_property
    def _changed(self) -> list[Stored]:
        key = operator.attrgetter("subject", "version")
        return sorted([*self._sorted, *([self.added] if self.added else [])], key=key)

    @cached_property
    def _by_subject(self) -> dict[str, list[Stored]]:
        result: dict[str, list[Stored]] = {}
        for stored in self._sorted:
            result.setdefault(stored.subject, []).append(stored)
        return result

    def visible(self) -> list[Stored]:
        """List everything in order."""
        return self._changed if self.flag and self.flag.exists() else self._sorted

    def of(self, subject: str, query: dict[str, str]) -> list[Stored]:  # noqa: ARG002  the fake hands it in
        """List the versions of a subject; none is deleted, and none added."""
        return self._by_subject.get(subject, [])


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flavour", choices=FLAVOURS, default="confluent")
    parser.add_argument("--topics", type=int, default=1000)
    parser.add_argument("--versions", type=int, default=1, help="of each value")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds added to every request")
    parser.add_argument("--flag", type=Path, help="while this file exists, one value has a further version")
    options = parser.parse_args()
    listed = enumerate(schemas(options.topics, options.versions), 1)
    installation = tuple(
        Stored(subject=subject, version=number, id=id_, schema=text) for id_, (subject, number, text) in listed
    )
    registry = Indexed(flavour=options.flavour, installation=installation, delay=options.delay)
    registry.of("", {})
    registry.flag = options.flag
    name, version = f"{topic_name(0)}-value", options.versions + 1
    registry.added = Stored(subject=name, version=version, id=len(installation) + 1, schema=value_schema(0, version))
    with serving(registry):
        sys.stdout.write(registry.url + "\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
