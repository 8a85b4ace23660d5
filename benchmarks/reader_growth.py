"""How the time of a repository's readers grows with one file: `python benchmarks/reader_growth.py [KIND…]`.

Each kind of file is read at 0.5, 1, 2 and 4 MB: larger files are left. Printed are the processor seconds, and the
exponent between the smallest and the largest size: 1 is linear. Exit status 1: an exponent above LARGEST.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from scanner_extractor.repository.reader import directory_reading
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import no_progress

LARGEST = 1.15
SIZES = (0.5, 1, 2, 4)
_SQL = "CREATE TABLE a (x INT) WITH ('connector'='kafka');\n"


def _repeated(head: str, unit: str, tail: str = "") -> Callable[[int], str]:
    """Return a function from a size to a text of about that size; `@` in *unit* is the number of the repetition."""

    def text(size: int) -> str:
        count = size // len(unit.replace("@", "00000"))
        return head + "".join(unit.replace("@", str(number)) for number in range(count)) + tail

    return text


FILES: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "plain YAML": ("q.yaml", _repeated("items:\n", "- name: a@\n  spec: {a: 1, b: [x, y]}\n")),
    "YAML of a topic": (
        "q.yaml",
        _repeated(
            "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: o}\nspec:\n  config:\n", "    k@: v\n"
        ),
    ),
    "a long line of SQL": ("q.sql", _repeated(_SQL, "a ")),
    "spaces": ("q.sql", _repeated(_SQL, " ")),
    "quotes": ("q.sql", _repeated(_SQL, "''", "'")),
    "a long word": ("c.properties", _repeated("connector.class=x\n", "a")),
    "a connector": (
        "c.json",
        _repeated('{"name": "x", "config": {"connector.class": "a.B", "topics": "o"', ', "k@": "v"', "}}"),
    ),
    "Protobuf": ("a.proto", _repeated('syntax = "proto3";\nmessage A {\n', " string f@ = 1@;\n", "}")),
    "Avro": (
        "a.avsc",
        lambda size: json.dumps(
            {"type": "record", "name": "A", "fields": [{"name": f"f{n}", "type": "string"} for n in range(size // 36)]}
        ),
    ),
    "a script": ("a.sh", _repeated("#!/bin/sh\nkafka-topics --create --topic o\n", "echo aaaa bbbb\n")),
    "sends of a method": (
        "A.java",
        _repeated(
            "import org.apache.kafka.clients.producer.*;\nclass A {\n  KafkaProducer<String, String> p;\n"
            "  void f(String v) {\n",
            '    p.send(new ProducerRecord<>("orders.@", v));\n',
            "  }\n}\n",
        ),
    ),
    "CODEOWNERS": ("CODEOWNERS", _repeated("* @a\n", "*a*b@ @c\n")),
    "a dashboard": (
        "g.json",
        _repeated(
            '{"schemaVersion": 39, "title": "a", "panels": [',
            '{"title": "b", "type": "table", "targets": [{"refId": "A", "rawSql": "SELECT a FROM t@"}]}, ',
            '{"type": "text"}]}',
        ),
    ),
}


def seconds(name: str, text: str) -> float:
    """Return the processor seconds that a repository with one file takes."""
    with TemporaryDirectory() as place:
        (Path(place) / name).write_text(text, encoding="utf-8")
        start = time.process_time()
        directory_reading(RepositorySettings(pattern=".", directory=Path(place)), no_progress)
        return time.process_time() - start


def main(kinds: list[str]) -> int:
    """Print each kind's times and exponent, and return the exit status."""
    failed = False
    for kind in kinds or FILES:
        name, text = FILES[kind]
        times = [seconds(name, text(int(size * 1_000_000))) for size in SIZES]
        exponent = math.log(max(times[-1], 0.01) / max(times[0], 0.01)) / math.log(SIZES[-1] / SIZES[0])
        if times[-1] < times[0]:
            exponent = math.nan  # beyond a limit of the reader
        failed |= exponent > LARGEST
        print(f"{kind:20} {'  '.join(f'{each:6.2f} s' for each in times)}  exponent {exponent:.2f}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
