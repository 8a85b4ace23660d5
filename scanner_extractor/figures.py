"""From two readings of a level to a rate: what was written to a topic between scans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from scanner_extractor.sources.offsets import LOG_END
from scanner_model.catalogs import Metric

RATE = "records_in_per_second"


def rates(metrics: Iterable[Metric], earlier: Iterable[Metric]) -> Iterator[Metric]:
    """Give the records a second that were written to each topic since the *earlier* reading of the same source.

    None where there is none, where no time has passed, and where the offset fell: that is another topic of this name.
    """
    before = {(each.source, each.topic): each for each in earlier if each.name == LOG_END}
    for each in metrics:
        last = before.get((each.source, each.topic))
        seconds = _seconds(last.ended, each.ended) if last and each.name == LOG_END else 0.0
        if last and seconds > 0 and each.amount >= last.amount:
            amount = (each.amount - last.amount) / seconds
            yield replace(each, name=RATE, amount=amount, started=last.ended)


def _seconds(started: str, ended: str) -> float:
    try:
        return (datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds()
    except (ValueError, TypeError):  # no time, or one without a zone beside one with
        return 0.0
