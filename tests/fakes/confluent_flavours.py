"""How Confluent-compatible registries differ by version: what was seen of 6.1.15, 7.4.15, 7.9.9, 8.3.1 and Karapace."""

from __future__ import annotations

from dataclasses import dataclass

JSON = "application/json"
REGISTRY_JSON = "application/vnd.schemaregistry.v1+json"
AMBIGUOUS = ("%2e%2e", "%5c", "%09", "//")
"""What Jetty 12 (8.0 and later) refuses in a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavour:
    """What one server can do. Where no version is named, every Confluent server from 6.1 on can.

    *bulk* `GET /schemas`; *contexts* 7.0; *metadata* and *aliases* 7.4; *pages* of subjects and versions 7.9; *modern*
    rows with guid, ts and deleted, and a strict parser of paths, 8.0; *associations* 8.2.
    """

    bulk: bool = True
    contexts: bool = True
    metadata: bool = True
    pages: bool = True
    modern: bool = False
    associations: bool = False
    order: str = "name"


NEWEST = Flavour(modern=True, associations=True)
SERVERS = {
    "confluent": NEWEST,
    "confluent-8.3": NEWEST,
    "confluent-7.9": Flavour(),
    "confluent-7.4": Flavour(pages=False),
    "confluent-6.1": Flavour(contexts=False, metadata=False, pages=False, order="hash"),
    "confluent-old": Flavour(bulk=False, contexts=False, metadata=False, pages=False),
    "karapace": Flavour(contexts=False, metadata=False, pages=False, order="registration"),
    "apicurio": Flavour(contexts=False, metadata=False, pages=False),
}
FLAVOURS = tuple(SERVERS)


def java_hash(text: str) -> int:
    """Compute Java's hash of a text, by which 6.1 happens to order its subjects."""
    result = 0
    for letter in text:
        result = (31 * result + ord(letter)) & 0xFFFFFFFF
    return result ^ (result >> 16)


def within_context(steps: list[str], query: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Rewrite `/contexts/.eu/…` as Confluent's servers do: the context goes before the subject, or into the prefix."""
    name, rest = steps[1].removeprefix(":").removesuffix(":"), steps[2:]
    prefix = f":{name}:" if name.startswith(".") else f":.{name}:"
    if rest[:1] == ["subjects"] and len(rest) > 1 and not rest[1].startswith((":.", ":*:")):
        rest = [rest[0], prefix + rest[1], *rest[2:]]
    given = query.get("subjectPrefix", "")
    if rest in (["schemas"], ["subjects"]) and not given.startswith((":.", ":*:")):
        query = {**query, "subjectPrefix": prefix + given}
    return rest, query


def full_association(subject: str, given: dict[str, object]) -> dict[str, object]:
    """Write an association with the members of 8.3, in its order; *given* says what differs from the usual."""
    known = {"resourceName": "", "resourceNamespace": "-", "resourceType": "topic", "associationType": "value", **given}
    return {
        "subject": subject,
        "guid": "00000000-0000-0000-0000-000000000000",
        "resourceName": known["resourceName"],
        "resourceNamespace": known["resourceNamespace"],
        "resourceId": f"{known['resourceNamespace']}:{known['resourceName']}",
        "resourceType": known["resourceType"],
        "associationType": known["associationType"],
        "lifecycle": "WEAK",
        "frozen": False,
        "createTs": 1700000000000,
        "updateTs": 1700000000000,
        **given,
    }
