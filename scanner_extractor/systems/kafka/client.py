"""Client of the brokers through confluent-kafka's AdminClient, with bounded waiting."""

from __future__ import annotations

import logging
import re
import socket
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.reader import (
    ClusterAnswer,
    ConfigAnswer,
    DescriptionAnswer,
    GroupAnswer,
    KafkaFailure,
    MembersAnswer,
    OffsetAnswer,
    state_of,
)
from scanner_model.errors import InputInvalid, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.redaction import KnownSecrets, is_secret_name, mask_text

_DENIED = {"_AUTHENTICATION", "SASL_AUTHENTICATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED"}
_TLS = {"_SSL"}
_NOISE = re.compile(r"\(after \d++ms in state [^()]*+\)|, \d++ identical error\(s\) suppressed")


class Failures:
    """Collects librdkafka's background errors, and selects the most specific one."""

    def __init__(self, properties: Mapping[str, str], where: str) -> None:
        self._secrets = KnownSecrets(value for name, value in properties.items() if _is_secret(name))
        self._login = " ".join(value for name, value in properties.items() if name.startswith("sasl.")).upper()
        self._has_key_password = bool(properties.get("ssl.key.password"))
        self.where = where
        self._messages: dict[str, str] = {}

    def note(self, error: KafkaFailure) -> None:
        """Record an error of librdkafka's `error_cb`; the newest of each code is retained."""
        self._messages[error.name()] = error.str()

    @property
    def final(self) -> bool:
        """Return whether waiting is useless, as after a wrong password or certificate."""
        return not (_DENIED | _TLS).isdisjoint(self._messages)

    @property
    def noted(self) -> bool:
        """Return whether librdkafka has reported an error."""
        return bool(self._messages)

    @property
    def all_down(self) -> bool:
        """Return whether librdkafka has found no broker that takes a connection."""
        return "_ALL_BROKERS_DOWN" in self._messages

    def error(self, last: KafkaFailure) -> ScannerError:
        """Return the error that a user sees; *last* is what the call itself ended with."""
        messages = {last.name(): last.str()} | self._messages
        for names, kind, hint in _READINGS:
            for name in sorted(names & messages.keys()):
                return kind(self.clean(messages[name]), where=self.where, hint=hint)
        what = next((text for name, text in messages.items() if name != "_ALL_BROKERS_DOWN"), last.str())
        return SourceUnreachable(self.clean(what), where=self.where, hint=_UNREACHABLE)

    def invalid(self, error: KafkaFailure) -> InputInvalid:
        """Return the error for a property that librdkafka rejects."""
        text = self.clean(error.str())
        hint = next((hint for word, hint in _INVALID if word in text or (word in _LOGINS and word in self._login)), "")
        if hint == _ENCRYPTED and self._has_key_password:
            hint = "is `ssl.key.password` the password of this key?"
        return InputInvalid(text, where="kafka", hint=hint or _NOT_JAVA)

    def clean(self, text: str) -> str:
        """Return librdkafka's message in one line, without timings and without secrets of the settings."""
        return " ".join(_NOISE.sub("", mask_text(self._secrets.hide(text))).split())


def _is_secret(name: str) -> bool:
    return is_secret_name(name) or name.endswith(".pem")


_NOT_JAVA = "these are librdkafka's properties, not Java's: see its CONFIGURATION.md"
_ENCRYPTED = "is the private key encrypted? set `ssl.key.password`; a PKCS #12 file belongs in `ssl.keystore.location`"
_NO_IAM = "MSK IAM is not supported: use an MSK listener with SASL/SCRAM or mutual TLS, and librdkafka's properties"
_LOGINS = ("MSK_IAM", "MSK.AUTH.IAM", "GSSAPI")
_INVALID = (
    *((word, _NO_IAM) for word in ("MSK_IAM", "MSK.AUTH.IAM")),
    (
        "GSSAPI",
        "the wheels of confluent-kafka for Linux lack GSSAPI (Kerberos): install librdkafka and libsasl2, then "
        "`pip install --no-binary confluent-kafka confluent-kafka`",
    ),
    (
        "No such configuration property",
        "remove it, or name librdkafka's property, as in its CONFIGURATION.md, not Java's",
    ),
    (":system lib", "the file cannot be opened: check its path and rights"),
    (
        "ssl.keystore",
        "it takes a PKCS #12 file: check `ssl.keystore.password`, and convert a JKS file",
    ),
    *((f"ssl.key.{form} failed", _ENCRYPTED) for form in ("location", "pem")),
    ("ssl.certificate.location failed", "it takes a PEM file; a PKCS #12 file belongs in `ssl.keystore.location`"),
    ("ssl.ca.location failed", "it takes a PEM file with certificates; export them from a PKCS #12 or JKS trust store"),
)
"""A word of librdkafka's message about a property that it rejects, or the mechanism, with what to do."""

_UNREACHABLE = "are the brokers up, and do `brokers` and `security.protocol` fit their listener?"
_OTHER_PORT = "`brokers` need the port of the Kafka protocol, often 9092; this may be a registry or Connect"
_READINGS: tuple[tuple[set[str], type[ScannerError], str], ...] = (
    (_DENIED, SourceRefused, "check `sasl.mechanism`, `sasl.username` and `sasl.password`"),
    (_TLS, SourceRefused, "check `ssl.ca.location`, the client's certificate and `security.protocol`"),
    ({"_RESOLVE"}, SourceUnreachable, "check the host names in `brokers`"),
    ({"_TRANSPORT"}, SourceUnreachable, _UNREACHABLE),
)


# Without a handler of its own, librdkafka's log lines would reach stderr through Python's last resort.
_LOG = logging.getLogger("scanner_extractor.kafka")
_LOG.addHandler(logging.NullHandler())

_BATCH = 500
_PARTITIONS = 5000
_PATIENCE = 5.0
"""Seconds to wait for a first broker where all are down: long enough for a restart's gap, short enough for people."""

_LEAST = 0.5
"""Seconds of a request once brokers have left requests unanswered for the whole timeout: others may still answer."""

_LONGEST = 3600.0
"""Seconds of the longest timeout that librdkafka takes for a request."""

_NO_GROUP: Mapping[str, Any] = {
    "group.id": "scanner",  # librdkafka's binding requires a name; without subscription or commit no group comes of it
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "error",
    "allow.auto.create.topics": False,
}

_UNUSED_TOPIC = "scanner.asks-whether-topics-are-hidden"
"""The name of a topic that no cluster has."""

_T = TypeVar("_T")


@dataclass(slots=True)
class Gathered(Generic[_T]):
    """Responses by name, and the reasons of failures; *unanswered* are the names that no broker answered for."""

    answers: dict[str, _T] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    unanswered: set[str] = field(default_factory=set)
    requests: int = 0


_SECONDS_FOR_HTTP = 2.0


def http_address(addresses: Sequence[str]) -> str:
    """Return the first of *addresses*, `HOST:PORT`, that answers HTTP within seconds; empty if none does."""
    for address in addresses:
        host, _, port = address.rpartition(":")
        with (
            suppress(OSError, ValueError),
            socket.create_connection((host.strip("[]"), int(port)), _SECONDS_FOR_HTTP) as connection,
        ):
            connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
            if connection.recv(5) == b"HTTP/":
                return address
    return ""


class KafkaClient:
    """Queries one cluster; *make*, *now* and *until* replace `AdminClient`, the clock and `wait` in tests.

    All requests together wait no longer than the timeout of the settings for brokers that do not answer, and a moment
    each after that. Raises InputInvalid where librdkafka rejects the properties.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        make: Callable[..., Any] | None = None,
        now: Callable[[], float] = time.monotonic,
        until: Callable[..., object] = wait,
    ) -> None:
        import confluent_kafka.admin  # noqa: PLC0415 - librdkafka is slower to load than most commands run

        # Its classes and errors; it has types for a part of itself only.
        self._library: Any = confluent_kafka
        self._exception = confluent_kafka.KafkaException
        self._timeout, self._now, self._until = settings.timeout, now, until
        self._unanswered, self._lost = 0.0, False
        self._failures = Failures(settings.properties, str(settings.source))
        properties: dict[str, Any] = {
            "client.id": "scanner",
            **settings.properties,
            "bootstrap.servers": ",".join(settings.brokers),
            "error_cb": self._failures.note,
        }
        self._properties = properties
        try:
            self._admin: Any = (make or self._library.admin.AdminClient)(properties, logger=_LOG)
        except self._exception as error:
            raise self._failures.invalid(error.args[0]) from error

    def metadata(self) -> ClusterAnswer:
        """Return the cluster's id, brokers and topics.

        Raises SourceRefused as soon as the brokers have refused us, SourceUnreachable once the time is over, or after
        a few seconds in which no broker took a connection.
        """
        started, patience, http = self._now(), 1.0, None
        while True:
            left = started + self._left - self._now()
            try:
                answer: ClusterAnswer = self._admin.list_topics(timeout=max(0.05, min(patience, left)))
            except self._exception as error:
                self._admin.poll(0)
                waited = self._now() - started
                if waited >= _PATIENCE and http is None and not self._failures.final:
                    http = http_address(self._properties["bootstrap.servers"].split(","))
                if http:
                    what = f"{http} answers HTTP, not the Kafka protocol"
                    raise SourceUnreachable(what, where=self._failures.where, hint=_OTHER_PORT) from error
                hopeless = self._failures.all_down and waited >= _PATIENCE
                if self._failures.final or hopeless or waited >= self._left:
                    raise self._failures.error(error.args[0]) from error
            else:
                self._unanswered += self._now() - started if self._failures.noted else 0.0
                return answer
            patience *= 2

    def internal(self, topics: Sequence[str]) -> Gathered[DescriptionAnswer]:
        """Query which topics are internal, and our permissions on each (DescribeTopics)."""

        def request(names: Sequence[str]) -> Mapping[str, Future[DescriptionAnswer]]:
            collection = self._library.TopicCollection(list(names))
            futures: Mapping[str, Future[DescriptionAnswer]] = self._admin.describe_topics(
                collection, include_authorized_operations=True, request_timeout=self._left
            )
            return futures

        return self._batches(topics, request)

    def may_describe_cluster(self) -> bool | None:
        """Return whether we may DESCRIBE the cluster (DescribeCluster); None: the brokers did not respond.

        confluent-kafka does not distinguish a user without any rights from brokers that report none: False in
        both cases.
        """
        with self._waiting() as errors:
            try:
                future = self._admin.describe_cluster(include_authorized_operations=True, request_timeout=self._left)
                operations = future.result().authorized_operations
            except self._exception as error:
                errors.append(error)
                return None
        return self._library.admin.AclOperation.DESCRIBE in (operations or ())

    def hides_topics(self) -> bool:
        """Return whether topics are hidden from us: a request for any name is refused, whether it exists or not.

        This creates no topic (DescribeTopics).
        """
        try:
            futures = self._admin.describe_topics(
                self._library.TopicCollection([_UNUSED_TOPIC]),
                include_authorized_operations=False,
                request_timeout=self._left,
            )
            futures[_UNUSED_TOPIC].result()
        except self._exception as error:
            return bool(error.args[0].code() == self._library.KafkaError.TOPIC_AUTHORIZATION_FAILED)
        return False

    def configs(self, topics: Sequence[str]) -> Gathered[dict[str, ConfigAnswer]]:
        """Query every topic's settings (DescribeConfigs)."""
        make = self._library.admin.ConfigResource

        def request(names: Sequence[str]) -> dict[str, Future[dict[str, ConfigAnswer]]]:
            resources = [make(make.Type.TOPIC, name) for name in names]
            futures = self._admin.describe_configs(resources, request_timeout=self._left)
            return {resource.name: future for resource, future in futures.items()}

        return self._batches(topics, request)

    def broker_settings(self, brokers: Sequence[int]) -> Gathered[dict[str, ConfigAnswer]]:
        """Query the settings of each broker (DescribeConfigs; one broker per request, many in flight)."""
        make = self._library.admin.ConfigResource

        def request(names: Sequence[str]) -> dict[str, Future[dict[str, ConfigAnswer]]]:
            futures: dict[str, Future[dict[str, ConfigAnswer]]] = {}
            for name in names:
                # librdkafka refuses a call with two of them: each broker answers for itself only.
                answer = self._admin.describe_configs([make(make.Type.BROKER, name)], request_timeout=self._left)
                futures |= {resource.name: future for resource, future in answer.items()}
            return futures

        gathered = self._batches([str(broker) for broker in brokers], request)
        return Gathered(
            answers=gathered.answers,
            failures=gathered.failures,
            unanswered=gathered.unanswered,
            requests=len(gathered.answers) + len(gathered.failures),
        )

    def groups(self) -> tuple[list[GroupAnswer], list[str]]:
        """List consumer groups (ListGroups at every broker), and why some could not be listed."""
        with self._waiting() as errors:
            try:
                result = self._admin.list_consumer_groups(request_timeout=self._left).result()
            except self._exception as error:
                errors.append(error)
                return [], [self._reason(error)]
            errors += map(self._exception, result.errors or ())
        reasons = [self._failures.clean(error.str()) for error in result.errors or ()]
        return sorted(result.valid or (), key=lambda group: group.group_id), sorted(set(reasons))

    def other_groups(self, listed: Collection[str]) -> tuple[list[str], str]:
        """List share and Streams groups: those not in *listed* and not classic; or why the brokers do not answer.

        librdkafka's newer list leaves them out. The older one has their names, without type, members and topics.
        """
        with self._waiting() as errors, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                groups = self._admin.list_groups(timeout=self._left)
            except self._exception as error:
                errors.append(error)
                return [], self._reason(error)
        return sorted({group.id for group in groups if not group.protocol_type} - set(listed)), ""

    def committed(self, groups: Sequence[str]) -> Gathered[list[OffsetAnswer]]:
        """Query the offsets that each group has committed (OffsetFetch; one group per request, many in flight)."""

        def fetch(names: Sequence[str]) -> Mapping[str, Future[Any]]:
            futures: dict[str, Future[Any]] = {}
            for name in names:
                request = [self._library.ConsumerGroupTopicPartitions(name)]
                futures |= self._admin.list_consumer_group_offsets(request, request_timeout=_LONGEST)
            return self._in_time(futures, self._left)

        gathered = self._batches(groups, fetch)
        answers = {name: list(group.topic_partitions or ()) for name, group in gathered.answers.items()}
        return Gathered(
            answers=answers,
            failures=gathered.failures,
            unanswered=gathered.unanswered,
            requests=len(gathered.answers) + len(gathered.failures),
        )

    def members(self, groups: Sequence[str]) -> Gathered[MembersAnswer]:
        """Query the members of each group and their assignments (DescribeGroups)."""
        return self._batches(groups, lambda names: self._descriptions(names, self._left))

    def _descriptions(self, groups: Sequence[str], seconds: float) -> Mapping[str, Future[MembersAnswer]]:
        futures = self._admin.describe_consumer_groups(list(groups), request_timeout=_LONGEST)
        return self._in_time(futures, seconds)

    def _in_time(self, futures: Mapping[str, Future[_T]], seconds: float) -> Mapping[str, Future[_T]]:
        """Return the *futures* of requests to coordinators; those that have not ended after *seconds* have failed.

        librdkafka ends the process when a coordinator comes up after the timeout of a request to it (librdkafka issue
        4605). So librdkafka is given the longest timeout, and the waiting is done here.
        """
        self._until(futures.values(), seconds)
        late: Future[_T] = Future()
        late.set_exception(self._exception(self._library.KafkaError(self._library.KafkaError._TIMED_OUT)))
        return {name: future if future.done() else late for name, future in futures.items()}

    def group_states(self, groups: Sequence[str]) -> Mapping[str, str]:
        """Return the state of each group, or the name of the error in its place (DescribeGroups).

        Waits a few seconds at most: coordinators that do not answer by then are not ready. Empty where an old version
        reports no state.
        """
        states: dict[str, str] = {}
        if not groups:
            return states
        with self._waiting() as errors:
            try:
                futures = self._descriptions(groups, min(self._left, _PATIENCE))
            except self._exception as error:
                return dict.fromkeys(groups, error.args[0].name())
            for name, future in futures.items():
                try:
                    states[name] = state_of(future.result())
                except self._exception as error:
                    states[name] = error.args[0].name()
                    errors.append(error)
        return states

    def acls(self) -> list[tuple[str, ...]] | None:
        """List the rules of access to topics (DescribeAcls).

        Of each: pattern type, name, principal, host, operation, permission. None where brokers have no authorizer.
        Raises SourceRefused and SourceUnreachable.
        """
        admin = self._library.admin
        wanted = admin.AclBindingFilter(
            admin.ResourceType.TOPIC,
            None,
            admin.ResourcePatternType.ANY,
            None,
            None,
            admin.AclOperation.ANY,
            admin.AclPermissionType.ANY,
        )
        try:
            bindings = self._admin.describe_acls(wanted, request_timeout=self._left).result()
        except self._exception as error:
            code = error.args[0].code()
            if code == self._library.KafkaError.SECURITY_DISABLED:
                return None
            if code == self._library.KafkaError.CLUSTER_AUTHORIZATION_FAILED:
                raise _may_not_list_acls() from error
            raise self._failures.error(error.args[0]) from error
        # librdkafka 2.16 gives an empty list for an error of the whole answer: no right, no authorizer.
        if not bindings and self.may_describe_cluster() is False:
            raise _may_not_list_acls()
        if not bindings and self.authorizer() == "":
            return None
        return [
            (
                binding.resource_pattern_type.name,
                binding.name,
                binding.principal,
                binding.host,
                binding.operation.name,
                binding.permission_type.name,
            )
            for binding in bindings
        ]

    def authorizer(self) -> str | None:
        """Return the class that decides who may do what, by a broker's settings: "" without one, None if hidden."""
        broker = min(self.metadata().brokers, default=-1)
        settings = self.broker_settings([broker]).answers.get(str(broker), {})
        return (settings["authorizer.class.name"].value or "") if "authorizer.class.name" in settings else None

    def ends(self, partitions: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """Query the end offsets of partitions, as (topic, number) (ListOffsets; one request per leader and batch).

        One that has no leader just now, or whose leader went away, is left out: librdkafka then gives an offset below
        zero without an error. Raises SourceRefused and SourceUnreachable where none is reported.
        """
        return self._offsets(partitions, self._library.admin.OffsetSpec.latest())

    def visible(self, partitions: Sequence[tuple[str, int]]) -> dict[tuple[str, int], tuple[int, int]]:
        """Query the first offset of partitions, and the end of what consumers of committed records are given.

        Leaves out and raises as `ends`.
        """
        committed = self._library.IsolationLevel.READ_COMMITTED
        starts = self._offsets(partitions, self._library.admin.OffsetSpec.earliest())
        ends = self._offsets(partitions, self._library.admin.OffsetSpec.latest(), isolation_level=committed)
        return {key: (starts[key], end) for key, end in ends.items() if key in starts}

    def _offsets(
        self,
        partitions: Sequence[tuple[str, int]],
        which: Any,  # noqa: ANN401 - librdkafka's OffsetSpec
        **options: Any,  # noqa: ANN401 - of list_offsets
    ) -> dict[tuple[str, int], int]:
        offsets: dict[tuple[str, int], int] = {}
        failure: Exception | None = None
        for start in range(0, len(partitions), _PARTITIONS):
            batch = partitions[start : start + _PARTITIONS]
            specifications = {self._library.TopicPartition(*key): which for key in batch}
            with self._waiting() as errors:
                futures = self._admin.list_offsets(specifications, request_timeout=self._left, **options)
                for partition, future in futures.items():
                    try:
                        offset = future.result().offset
                    except self._exception as error:
                        errors.append(error)
                    else:
                        offsets |= {(partition.topic, partition.partition): offset} if offset >= 0 else {}
            failure = failure or next(iter(errors), None)
        if failure and not offsets:
            raise self._failures.error(failure.args[0]) from failure
        return offsets

    def consumer(self, more: Mapping[str, Any], make: Callable[..., Any] | None = None) -> Any:  # noqa: ANN401
        """Return a consumer of the same brokers that belongs to no group and stores no offset; *make* replaces it.

        *more* are properties that hold whatever the settings say. Raises InputInvalid where librdkafka rejects one.
        """
        properties = {name: value for name, value in self._properties.items() if not name.startswith("group.")}
        try:
            return (make or self._library.Consumer)({**properties, **_NO_GROUP, **more}, logger=_LOG)
        except self._exception as error:
            raise self._failures.invalid(error.args[0]) from error

    def _batches(
        self, names: Sequence[str], request: Callable[[Sequence[str]], Mapping[str, Future[_T]]]
    ) -> Gathered[_T]:
        """Query in batches; once a whole batch has failed, the rest fails for the same reason without a request."""
        gathered: Gathered[_T] = Gathered()
        for start in range(0, len(names), _BATCH):
            batch = names[start : start + _BATCH]
            reasons = self._take(batch, request, gathered)
            gathered.requests += 1
            if len(reasons) == len(batch):
                rest = names[start + _BATCH :]
                gathered.failures |= dict.fromkeys(rest, reasons[batch[0]])
                gathered.unanswered |= set(rest) if batch[0] in gathered.unanswered else set()
                break
        return gathered

    def _take(
        self,
        batch: Sequence[str],
        request: Callable[[Sequence[str]], Mapping[str, Future[_T]]],
        gathered: Gathered[_T],
    ) -> dict[str, str]:
        reasons: dict[str, str] = {}
        with self._waiting() as errors:
            try:
                futures = request(batch)
            except self._exception as error:
                futures, reasons = {}, dict.fromkeys(batch, self._reason(error))
            for name, future in futures.items():
                try:
                    gathered.answers[name] = future.result()
                except self._exception as error:
                    reasons[name] = self._reason(error)
                    gathered.unanswered |= {name} if _is_unanswered(error) else set()
                    errors.append(error)
        gathered.failures |= reasons
        return reasons

    @property
    def _left(self) -> float:
        """Return the seconds that a request may take: brokers that stop answering cost the timeout once."""
        return max(_LEAST, self._timeout - self._unanswered)

    @contextmanager
    def _waiting(self) -> Iterator[list[Exception]]:
        """Count the seconds of a request that a broker left unanswered, or that followed one; yields its errors' list.

        What follows waits for the same broker, and may be answered once it is up again.
        """
        started, errors = self._now(), list[Exception]()
        try:
            yield errors
        finally:
            unanswered = any(map(_is_unanswered, errors))
            self._unanswered += self._now() - started if unanswered or self._lost else 0.0
            self._lost = unanswered

    def _reason(self, error: Exception) -> str:
        return self._failures.clean(error.args[0].str())


def _is_unanswered(error: Exception) -> bool:
    """Return whether no broker answered: codes of librdkafka's own are below zero."""
    return bool(error.args[0].code() < 0)


def _may_not_list_acls() -> SourceRefused:
    what = "the user may not list rules of access"
    return SourceRefused(what, where="DescribeAcls", hint="give it DESCRIBE on the cluster")
