"""What changed commands do: those of Kafka's own tools and of tools that administer what it holds, by their options."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from scanner_extractor.repository.shell import expand_script
from scanner_extractor.repository.syntax_trees import words

_LOOKING = words("--list --describe --help --version --members --state")
_MAKING = words("--create")


class Tool(NamedTuple):
    """A tool: *verbs* are what makes a word the tool's name where something else runs it, *looking* only reads.

    *making* are verbs whose result is declared in the repository, so that it is compared. All are options or commands.
    """

    verbs: frozenset[str]
    looking: frozenset[str] = frozenset()
    making: frozenset[str] = frozenset()


_VERBS = words(
    "--create --delete --alter --add --remove --execute --topic --bootstrap-server --zookeeper --reset-offsets"
)
_KAFKA = Tool(_LOOKING | _VERBS, _LOOKING, _MAKING)
_CLI = words("topic topics schema-registry schema connect connector kafka flink ksql acl acls group user cluster")
_CLI_LOOKING = words("list describe info status show get ls consume view version help context login use")
_KCAT = Tool(words("-C -P -L -Q -b -t -G -F"), words("-L -Q"))
_RUN = Tool(words("run run-application -c -d --class -f -e"))

TOOLS: Mapping[str, Tool] = {
    **dict.fromkeys(
        words(
            "kafka-topics kafka-configs kafka-acls kafka-consumer-groups kafka-delete-records kafka-reassign-partitions"
            " kafka-streams-application-reset kafka-console-producer kafka-console-consumer kafka-avro-console-producer"
            " kafka-avro-console-consumer kafka-protobuf-console-producer kafka-json-schema-console-producer"
            " kafka-mirror-maker kafka-share-groups kafka-streams-groups kafka-leader-election"
        ),
        _KAFKA,
    ),
    **dict.fromkeys(words("kcat kafkacat"), _KCAT),
    **dict.fromkeys(words("rpk confluent ccloud kafkactl kaf"), Tool(_CLI, _CLI_LOOKING)),
    **dict.fromkeys(words("ksql ksqldb-cli"), Tool(words("-e -f --execute --file"))),
    **dict.fromkeys(words("flink sql-client"), _RUN),
    **dict.fromkeys(words("topicctl jikkou julieops kafka-gitops"), Tool(words("apply delete create"), _CLI_LOOKING)),
}
"""Tools by their names, without the ending of a script."""

_CALLERS = words("curl wget http https xh Invoke-RestMethod Invoke-WebRequest iwr irm")
_RESOURCE = re.compile(r"/(?:connectors|subjects|ksql|config|mode|schemas|query)(?:[/?\"'\s]|$)")
"""A path of the API of Kafka Connect, a Schema Registry or ksqlDB."""
_READING = re.compile(r"^(?:GET|HEAD|OPTIONS)$", re.IGNORECASE)
_SENDING = words("-d --data --data-binary --data-raw --json -T --upload-file -F --form --post-data --post-file -Body")
_SHOWS = re.compile(r"-[vsSifqN#]+|--(?:verbose|silent|show-error|include|fail|fail-with-body|quiet|no-verbose)")
_SHOWS_VALUE = words("-o -w --output --output-document --write-out --retry --retry-delay --connect-timeout --max-time")
"""Options of curl and wget that say what is printed and how long to wait, and those of them that take a value."""
_PRINTING = words("echo printf print log logger info :")
_SCRIPT_ENDING = re.compile(r"\.(?:sh|bat|cmd|exe)$")
_IDLE = re.compile(r"[\[\]\"',\s]+")
_IDLE_COMMANDS = frozenset(("sleep", "tail", "true", "false", "cat", ":", "pause"))
_PLAIN_SHELL = words("sh bash -c -ec -lc -e exec")
_LINE_WORD = re.compile(r"[^\s\"'`()\[\],;|&]+")


class ChangedCommand(NamedTuple):
    """A command that only one of two texts has: its text and its line there."""

    text: str
    line: int
    is_gone: bool


def changed_commands(
    before: str, after: str, moved: Collection[str], *, is_shell: bool = True, sends: bool = False
) -> list[ChangedCommand]:
    """Return the changed commands that administer Kafka, in the order of their lines.

    Commands whose result is declared, and those that only look, are left out. The directories of files whose names are
    in *moved* do not count. Of a text that is not a script of a shell, each line is taken as one command. Any command
    of one that *sends* records may make a part of them, but for what only prints or waits.
    """
    old, new = (
        [(tuple(_without_directory(word, moved) for word in _requested(listed)), line) for listed, line in found]
        for found in (_commands(text, is_shell=is_shell) for text in (before, after))
    )
    gone = Counter(words for words, _ in old) - Counter(words for words, _ in new)
    come = Counter(words for words, _ in new) - Counter(words for words, _ in old)
    found: list[ChangedCommand] = []
    texts = before.splitlines(), after.splitlines()
    for commands, changed, is_gone in ((old, gone, True), (new, come, False)):
        for listed, line in commands:
            is_part = sends and changed[listed] and _acts(listed, texts[not is_gone][line - 1 : line])
            if changed[listed] and (is_part or _matters(listed, is_gone=is_gone)):
                changed[listed] -= 1
                found.append(ChangedCommand(" ".join(listed), line, is_gone))
    return sorted(found, key=lambda one: (one.is_gone, one.line))


def _commands(text: str, *, is_shell: bool) -> Iterator[tuple[tuple[str, ...], int]]:
    if is_shell:
        plain = re.sub(r"(?m)^\t[@-]*", "", text)
        yield from ((command.words, command.line) for command in expand_script(plain, {}, lambda _: None))
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith(("#", "//", "REM ", "::", "*")) and (listed := _LINE_WORD.findall(line)):
            yield tuple(listed), number


def _requested(listed: Sequence[str]) -> list[str]:
    """Return the words of a command; of a call over HTTP, those of its request."""
    if _basename(listed[0]) not in ("curl", "wget"):
        return [*listed]
    pairs = pairwise(("", *listed))
    return [
        word
        for former, word in pairs
        if not (_SHOWS.fullmatch(word) or {former, word.partition("=")[0]} & _SHOWS_VALUE)
    ]


def _acts(listed: Sequence[str], lines: Iterable[str]) -> bool:
    """Return whether a command does more than wait, or print to whoever runs the script."""
    tool = _basename(listed[0])
    is_handed_on = any("|" in line or ">" in line for line in lines)
    return is_handed_on or tool not in _PRINTING | (_IDLE_COMMANDS - {"cat"})


def _matters(listed: Sequence[str], *, is_gone: bool) -> bool:
    if _basename(listed[0]) in _PRINTING:
        return False
    listed = [part for word in listed for part in (_LINE_WORD.findall(word) if " " in word else [word])]
    for at, word in enumerate(listed):
        tool = TOOLS.get(_basename(word))
        rest = listed[at + 1 :]
        if tool is None or (at and tool.verbs.isdisjoint(rest)):
            continue
        if _only_looks(tool, rest):
            return False
        return is_gone or tool.making.isdisjoint(rest)
    if any(_basename(word) in _CALLERS for word in listed):
        is_resource = any(_RESOURCE.search(word) for word in listed)
        method = next((rest for word, rest in pairwise(listed) if word in ("-X", "--request")), "")
        is_sent = bool(method) and not _READING.match(method)
        return is_resource and (is_sent or any(word.partition("=")[0] in _SENDING for word in listed))
    return False


def _only_looks(tool: Tool, rest: Sequence[str]) -> bool:
    """Return whether a tool only reads: by an option, or by its first word that is not a kind of thing.

    What follows that word are names, which may be called `list` or `status`.
    """
    if tool.verbs is _CLI:
        verb = next((word for word in rest if word not in _CLI and not word.startswith("-")), "")
        return verb in tool.looking
    return not tool.looking.isdisjoint(rest) and tool.making.isdisjoint(rest) and "--delete" not in rest


def _without_directory(word: str, names: Collection[str]) -> str:
    directory, slash, name = word.rpartition("/")
    return ("@" if directory.startswith("@") else "") + name if slash and name in names else word


def _basename(word: str) -> str:
    return _SCRIPT_ENDING.sub("", word.replace("\\", "/").rpartition("/")[2])


def does_nothing(command: str) -> bool:
    """Return whether a command only waits, or ends at once: nothing that a program did is done any more."""
    listed = [word for word in _IDLE.split(command) if word and word not in _PLAIN_SHELL]
    return bool(listed) and _basename(listed[0]) in _IDLE_COMMANDS
