"""The first scan of a repository tells which of its languages are experimental."""

from __future__ import annotations

from pathlib import Path

from scanner_api import open_dictionary, scan

CODE = {
    "Orders.scala": 'object Orders extends App { new KafkaProducer(p).send(new ProducerRecord("o", v)) }',
    "orders.py": 'from kafka import KafkaProducer\nKafkaProducer().send("orders", b"1")\n',
}


def test_first_scan_names_the_languages_that_were_never_compared(tmp_path: Path) -> None:
    """Python was; the second scan says nothing."""
    dictionary = open_dictionary(f"sqlite:///{tmp_path}/d.db", create=True)
    repository = tmp_path / "shop"
    repository.mkdir()
    for name, text in CODE.items():
        (repository / name).write_text(text, "utf-8")
    notes: list[str] = []

    for _ in range(2):
        scan([], dictionary, directories=[repository], notify=notes.append)

    reason = "experimental: built from documentation, never run against programs in Scala"
    assert notes == [f"note: Scala is {reason}"]
