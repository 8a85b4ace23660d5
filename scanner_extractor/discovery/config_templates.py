"""First versions of cluster.json, of what was found: documents whose secrets are names of variables, never values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scanner_extractor.discovery.probe import Kind, Probed
from scanner_extractor.http.messages import Json
from scanner_extractor.http.recording import slug
from scanner_extractor.settings.confluent_cloud import CLOUD_URL, CloudCluster, Organization, Plane
from scanner_model.errors import InputInvalid

KEY_VARIABLE = "CONFLUENT_CLOUD_API_KEY"
SECRET_VARIABLE = "CONFLUENT_CLOUD_API_SECRET"  # noqa: S105  the name of a variable
"""The variables that Confluent's own tools read the Cloud API key from."""

_MEMBERS = {
    Kind.REGISTRY: "schema_registries",
    Kind.KSQLDB: "ksqldb",
    Kind.CONNECT: "connect",
    Kind.FLINK: "flink",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Initial:
    """A file to be written: *variables* are those that *document* names, in its order; *optional* may stay unset."""

    file: str
    document: Json
    variables: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """Name the members that hold sources."""
        return tuple(name for name in self.document if name not in ("cluster", "brokers"))


def cloud_files(found: Organization, *, url: str = CLOUD_URL) -> tuple[Initial, ...]:
    """Build a file for each Kafka cluster; one whose display name another has, too, is called by its id."""
    names = Counter(slug(each.name) for each in found.clusters)
    return tuple(
        _cloud_file(each, found, url, named=names[slug(each.name)] == 1 and each.name != "") for each in found.clusters
    )


def probed_file(probed: Iterable[Probed], name: str) -> Initial:
    """Build the file of one cluster of what answered; raises InputInvalid without a broker and for two clusters."""
    answered = sorted((each for each in probed if each.kind), key=lambda each: (str(each.kind), each.url))
    brokers = [each for each in answered if each.kind is Kind.KAFKA]
    clusters = sorted({each.cluster_id for each in brokers if each.cluster_id})
    if not brokers:
        listed = ", ".join(f"{each.kind} at {each.url}" for each in answered) or "nothing"
        hint = "probe a broker too, as in --probe kafka-1:9092; one with TLS or a login has to be written by hand"
        raise InputInvalid(f"no Kafka broker answered; found: {listed}", where="--probe", hint=hint)
    if len(clusters) > 1:
        what = f"these are brokers of {len(clusters)} Kafka clusters: {', '.join(clusters)}"
        raise InputInvalid(what, where="--probe", hint="one file is one cluster: probe them apart")
    document: Json = {"cluster": name, "brokers": [each.url for each in brokers], "kafka": {}}
    for kind, member in _MEMBERS.items():
        if items := [_item(each) for each in answered if each.kind is kind]:
            document[member] = items
    rest = next((each for each in answered if each.kind is Kind.KAFKA_REST), None)
    if rest:
        document["kafka_rest"] = {"url": rest.url, **({"cluster": rest.cluster_id} if rest.cluster_id else {})}
    return Initial(file=f"{slug(name)}.json", document=document)


def _item(probed: Probed) -> Json:
    return {**({"type": probed.type} if probed.type else {}), "url": probed.url}


def _cloud_file(cluster: CloudCluster, found: Organization, url: str, *, named: bool) -> Initial:
    name = cluster.name if named else cluster.id
    cloud: Json = {} if url == CLOUD_URL else {"url": url}
    cloud |= {"auth": _basic(KEY_VARIABLE, SECRET_VARIABLE), "environment": cluster.environment, "cluster": cluster.id}
    planes = dict(_planes(cluster, found))
    optional = [f"{prefix}_{what}" for prefix in planes.values() for what in ("API_KEY", "API_SECRET")]
    cloud |= {
        plane: {"auth": _basic(f"{prefix}_API_KEY:-", f"{prefix}_API_SECRET:-")} for plane, prefix in planes.items()
    }
    return Initial(
        file=f"{slug(name)}.json",
        document={"cluster": name, "confluent_cloud": cloud},
        variables=(KEY_VARIABLE, SECRET_VARIABLE, *optional),
        optional=tuple(optional),
    )


def _planes(cluster: CloudCluster, found: Organization) -> Iterator[tuple[str, str]]:
    """Return the planes that want a key of their own and are there, each with the start of its variables' names."""
    yield str(Plane.KAFKA), _variable("KAFKA", cluster.id)
    here = cluster.environment
    parts: Sequence[tuple[Plane, str, list[str]]] = (
        (Plane.SCHEMA_REGISTRY, "SCHEMA_REGISTRY", [each.id for each in found.registries if each.environment == here]),
        (Plane.KSQLDB, "KSQLDB", [each.id for each in found.ksqldb if each.kafka == cluster.id]),
        (Plane.FLINK, "FLINK", [here for each in found.pools if each.environment == here]),
    )
    for plane, word, ids in parts:
        if ids:
            yield str(plane), _variable(word, ids[0])


def _variable(word: str, identity: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", f"{word}_{identity}".upper())


def _basic(user: str, password: str) -> Json:
    return {"basic": {"user": f"${{{user}}}", "password": f"${{{password}}}"}}
