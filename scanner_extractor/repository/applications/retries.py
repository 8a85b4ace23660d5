"""What Spring writes itself because of an annotation: records that a listener failed on, to topics beside its own.

`@RetryableTopic` sends a record that a listener failed on to a topic of retries, which the same listener reads, and
one that failed to the last to a topic of dead letters. How many topics of retries there are, and what ends their names,
depends on the delays and on the version of Spring, unless the annotation says that it is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scanner_extractor.repository.applications.code import CodeScope
from scanner_extractor.repository.applications.expressions import NOTHING, Expr, Kind
from scanner_extractor.repository.applications.values import Resolver
from scanner_extractor.repository.languages.language import Access

RETRIED, RETRIES = "KafkaListener", "RetryableTopic"
"""The annotations of a listener, and of one whose failed records are read again."""

_STRATEGIES = ("sameIntervalTopicReuseStrategy", "fixedDelayTopicStrategy")
_HANDLER = "DltHandler"


def suffixes(note: Expr, scope: CodeScope, resolver: Resolver) -> Iterator[tuple[Access, str]]:
    """Yield what an annotation adds to the name of a listener's topic, with how it uses the topic of that name.

    The suffix is empty if the topic has a name that is not known.
    """

    def texts(expr: Expr) -> list[str]:
        return [value.text for value in resolver.texts(expr, scope)]

    given = {part.text: part.parts[0] for part in note.arguments if part.kind is Kind.PAIR}
    if texts(given.get("attempts", NOTHING)) != ["1"]:
        backoff = {part.text for part in given.get("backoff", NOTHING).parts if part.kind is Kind.PAIR}
        is_one = (
            any(given.get(one, NOTHING).text == "SINGLE_TOPIC" for one in _STRATEGIES) and "multiplier" not in backoff
        )
        for suffix in _suffix(given.get("retryTopicSuffix"), "-retry", texts) if is_one else [""]:
            yield from ((access, suffix) for access in (Access.WRITE, Access.READ))
    if given.get("dltStrategy", NOTHING).text != "NO_DLT":
        is_read = any(each.text == _HANDLER for each, _, _ in scope.unit.annotated)
        for suffix in _suffix(given.get("dltTopicSuffix"), "-dlt", texts):
            yield from ((access, suffix) for access in (Access.WRITE, Access.READ)[: 1 + is_read])


def _suffix(given: Expr | None, default: str, texts: Callable[[Expr], list[str]]) -> list[str]:
    return [default] if given is None else texts(given) or [""]
