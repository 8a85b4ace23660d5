"""Changed lines of settings, deployments and build files: which of them can change a topic, a record or a job."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scanner_extractor.repository.syntax_trees import suffix, words


class Setting(NamedTuple):
    """A line of a file that sets something: *path* are the keys around it, with its own one last."""

    path: tuple[str, ...]
    value: str
    line: int

    @property
    def key(self) -> str:
        """Return its own key."""
        return self.path[-1] if self.path else ""


class SettingEdit(NamedTuple):
    """A setting that differs: *before* is None if it is new, *after* if it is gone."""

    before: Setting | None
    after: Setting | None

    @property
    def setting(self) -> Setting:
        """Return the newer one."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def key(self) -> str:
        """Return what is set: of an entry of a list, or the value of something with a name, that name."""
        path = self.setting.path
        return path[-2] if path[-1] in ("-", "value", "default") and len(path) > 1 else path[-1]

    @property
    def values(self) -> tuple[str, ...]:
        """Return both values."""
        return tuple(setting.value for setting in (self.before, self.after) if setting is not None)

    @property
    def shown(self) -> str:
        """Return key and values, for people."""
        old, new = (setting.value or "(empty)" if setting else "(unset)" for setting in (self.before, self.after))
        return f"{'.'.join(self.setting.path[-2:])}: {old[:_LONGEST]} → {new[:_LONGEST]}"


_LONGEST = 80
_SHOWN = 3
_COMMENT = re.compile(r"\s*(?:#(?!include)|//|/\*|<!--|;|---|\*\s|\{\{-?\s*/\*|\{#)")
_LINE = re.compile(
    r"(?P<indent>\s*)(?P<item>(?:-\s+)*)[\"']?(?P<key>[A-Za-z_$@{][^\s\"':=<>]*)[\"']?\s*(?P<sign>[:=]|(?=\{)|$)\s*(?P<value>.*)"
)
_BLOCK = re.compile(
    r"(?P<indent>\s*)(?P<key>(?:resource|data|module|variable|output|provider|locals|dynamic|terraform)\b[^{]*)\{"
)
_TAG = re.compile(r"(?P<indent>\s*)<(?P<key>[\w.:-]+)[^>]*>(?P<value>[^<]*)")
_TRAILING = re.compile(r"\s+#.*$")
_FLAT = words(".properties .env .ini .cfg")
_STRUCTURED = words(".yaml .yml .json .properties .env .conf .toml .ini .cfg .tf .tfvars .hcl .xml .config .j2 .tpl")
_BUILD = re.compile(
    r"(?:.*/)?(?:pom\.xml|[\w.-]+\.gradle(?:\.kts)?|gradle\.properties|libs\.versions\.toml|go\.(?:mod|sum)|package\.json|[\w.-]*requirements[\w.-]*\.(?:txt|in)"
    r"|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|build\.sbt|Cargo\.toml|paket\.(?:dependencies|references|lock)|[\w.-]+\.(?:csproj|fsproj|props)"
    r"|packages\.config|constraints[\w.-]*\.txt|[\w.-]*-lock\.(?:json|yaml)|poetry\.lock|yarn\.lock|composer\.json|Gemfile(?:\.lock)?|mix\.exs)"
)
_WORKFLOW = re.compile(
    r"(?:.*/)?(?:\.github/.*|\.gitlab-ci\.ya?ml|\.gitlab/.*|\.circleci/.*|\.travis\.yml|Jenkinsfile|azure-pipelines.*|\.pre-commit-config\.yaml"
    r"|renovate\.json5?|\.?dependabot\.ya?ml|sonar-project\.properties|codecov\.ya?ml|\.golangci\.ya?ml|\.tekton/.*|\.rspec|tox\.ini|pytest\.ini|mkdocs\.ya?ml"
    r"|tsconfig[\w.]*\.json|\.eslintrc[\w.]*|\.editorconfig|launchSettings\.json|\.vscode/.*|\.idea/.*)"
)
"""Files of continuous integration, and of tools of developers."""
_LIBRARY = re.compile(
    r"(?i)\b(?:[\w./-]*kafka[\w./-]*|sarama|franz-go|kgo|librdkafka|node-rdkafka|confluent[._-][\w.-]*|aiokafka|faust[\w-]*"
    r"|spring-cloud-(?:stream|starter-stream)[\w-]*|smallrye-reactive-messaging[\w-]*|avro[\w.-]*|apache\.avro|masstransit[\w.]*|karafka"
    r"|apache-flink[\w-]*|flink-[\w-]+|debezium[\w-]*|ksql[\w-]*|karapace|fastavro)\b"
)
"""Libraries that decide how records are written and read."""
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_RELEVANT = re.compile(
    r"(?i)(?:^|.*[._-])(?:(?:key|value)[._-]?converter|topics?|topic[._-]?names?|topics?[._-]?regex|group[._-]?id|groupid|consumer[._-]?group|application[._-]?id"
    r"|(?:key|value)?[._-]?(?:de)?seriali[sz]ers?(?:[._-]?class)?|serdes?|partition(?:er)?(?:[._-]class)?|key[._-]converter|value[._-]converter"
    r"|cleanup[._-]policy|subject|schema[._-]?(?:name|file|path|id|version)s?|content[._-]?type|destination|message[._-]?type|trusted[._-]packages|isolation[._-]level"
    r"|auto[._-]offset[._-]reset|enable[._-]idempotence|transactional[._-]id)(?:[._-]\w+)?|.*(?:input|output|source|sink|consumer|producer|kafka)\w*topics?\w*"
)
"""Settings that say which topics there are, who reads them, and how records look."""
_HARMLESS = re.compile(
    r"(?i).*(?:heartbeat|health|logg(?:er|ing)|metrics?[._-]|\ballow_).*"
    r"|.*(?:level|image|tag|version|replicas?|replication(?:[._-]factor)?|cpu|memory|heap|timeout|interval|backoff|retries|ports?|user(?:name)?|password"
    r"|secret|token|ssl|sasl|ur[li]s?|endpoint|hosts?|description|labels?|annotations?|enabled?|ttl|resources?|arn)(?:[._-]?m?s)?"
)
"""Settings of how something runs, whatever they are of."""
_SWITCH = re.compile(
    r"(?i)(?!.*(?:health|metric|monitor|trac|ssl|sasl)).*(?:kafka|consumer|producer|listener|topic)\w*[._-](?:enabled?|auto[._-]?startup)"
)
"""A setting that starts or stops what reads or writes."""
_OF_SCHEMA = re.compile(r"(?i).*schema[._-]?(?:version|id)")
_RESOURCE = re.compile(
    r"resource\s+\S*(?:kafka_(?!cluster)|connector|flink_|schema|subject|acl|role_binding|topic)\w*(?<!_api_key)\S*"
)
"""A resource of Terraform that has to do with topics, schemas, jobs or rights."""
_COMMAND = re.compile(
    r"(?i)\bkafka-(?:topics|configs|acls|consumer-groups|console-\w+|\w+-console-\w+|delete-records|reassign\S*|streams-\S+)|/connectors\b|/subjects\b|/ksql\b|\bconfluent\s+(?:kafka|connect|flink|schema)|\bksql\b|\brpk\s+topic"
    r"|\bsql-client|\bflink\s+run|\bkcat\b|\bkafkacat\b|\bconnectors?/"
)
"""A command that changes topics, connectors, schemas or jobs."""
_OF_DATA = re.compile(
    r"(?i)jackson|objectmapper|fail-on-|property-naming|date-format|(?:de)?serialization|compression\.type|max[._-]?poll|changelog|watermark|parallelism"
)
_STOPPED = re.compile(
    r"(?i)[\[\"'\s]*(?:sleep[\"',\s]+(?:infinity|inf|\d{4,})|tail[\"',\s]+-f|/?(?:bin/)?(?:true|false)\b|:)[\]\"'\s]*"
)


def is_build_file(path: str) -> bool:
    """Return whether a file names the libraries of a program."""
    return _BUILD.fullmatch(path) is not None


def is_workflow(path: str) -> bool:
    """Return whether a file belongs to continuous integration or to tools of developers."""
    return _WORKFLOW.fullmatch(path) is not None


def is_script(path: str) -> bool:
    """Return whether a file runs commands, by its name."""
    name = path.rpartition("/")[2]
    return name.endswith((".sh", ".bash", ".ps1", ".mk")) or name in ("Makefile", "Dockerfile") or is_workflow(path)


def is_structured(path: str) -> bool:
    """Return whether a file consists of settings, by its name."""
    return suffix(path) in _STRUCTURED or path.rpartition("/")[2].startswith(".env")


def settings_of(path: str, text: str) -> list[Setting]:
    """Return the settings of a text, each with the keys around it, by their indentation; comments are left out.

    The keys of an entry with a name, as of an environment variable, are behind that name.
    """
    found: list[Setting] = []
    outer_keys: list[tuple[int, str, bool]] = []  # indentation, key, whether it names an entry of a list
    is_flat = suffix(path) in _FLAT
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or _COMMENT.match(line):
            continue
        match = _BLOCK.match(line) or _TAG.match(line) or _LINE.match(line)
        if match is None:
            indent = raw = len(line) - len(line.lstrip())
            value = line.strip().lstrip("- ").rstrip(",")
        else:
            raw = len(match["indent"].expandtabs(4))
            indent = raw + len(match.groupdict().get("item") or "")
            value = match.groupdict().get("value", "") or ""
        is_entry = indent > raw
        if not is_flat:
            _leave(outer_keys, raw if is_entry else indent, is_of_list=line.lstrip().startswith("- "))
        value = _TRAILING.sub("", value).strip().rstrip(",").strip().strip("\"'")
        outer = tuple(key for _, key, _ in outer_keys) if not is_flat else ()
        if match is None:
            if value.strip("[]{}()<>/ "):
                found.append(Setting((*outer, "-"), value.strip("\"'"), number))
            continue
        key = match["key"].strip().rstrip("{").strip()
        if key in ("name", "id") and is_entry and value:
            outer_keys.append((raw, value, True))
            continue
        outer_keys.append((indent, key, False))
        if value not in ("", "{", "[", "|", ">", ">-", "|-"):
            found.append(Setting((*outer, key), value, number))
        elif match.groupdict().get("sign", "") == "" and value == "" and "{" not in line:
            found.append(Setting((*outer, "-"), key.rstrip(","), number))
        else:
            found.append(Setting((*outer, key), "", number))
    return found


def _leave(outer_keys: list[tuple[int, str, bool]], indent: int, *, is_of_list: bool) -> None:
    """Remove the keys that a line at *indent* is not below; in YAML, a list may be right below its key."""
    while outer_keys and outer_keys[-1][0] >= indent:
        at, _, is_entry = outer_keys[-1]
        if at == indent and is_of_list and not is_entry:
            break
        outer_keys.pop()


def edits_of(path: str, before: str, after: str) -> list[SettingEdit]:
    """Return the settings that differ between two texts, wherever they stand, on however many lines a list is."""
    old, new = (_with_entries(settings_of(path, text)) for text in (before, after))
    gone = Counter((one.path, one.value) for one in old) - Counter((one.path, one.value) for one in new)
    come = Counter((one.path, one.value) for one in new) - Counter((one.path, one.value) for one in old)
    removed = _chosen(old, gone)
    added = _chosen(new, come)
    by_path: dict[tuple[str, ...], list[Setting]] = {}
    for setting in removed:
        by_path.setdefault(setting.path, []).append(setting)
    edits = []
    for setting in added:
        former = by_path.get(setting.path, [])
        edits.append(SettingEdit(former.pop(0) if former else None, setting))
    edits += [SettingEdit(setting, None) for left in by_path.values() for setting in left]
    return edits


def _with_entries(settings: Iterable[Setting]) -> list[Setting]:
    """Return settings with a list on one line as a list of several lines is: each entry on its own."""
    found: list[Setting] = []
    for setting in settings:
        match = _LIST.fullmatch(setting.value)
        if match is None:
            found.append(setting)
            continue
        found.append(setting._replace(value=""))
        entries = (entry.strip().strip("\"'") for entry in match["entries"].split(","))
        found += [Setting((*setting.path, "-"), entry, setting.line) for entry in entries if entry]
    return found


_LIST = re.compile(r"\[(?P<entries>[^\[\]{}()]*)\]")


def _chosen(settings: Iterable[Setting], counts: Counter[tuple[tuple[str, ...], str]]) -> list[Setting]:
    left = Counter(counts)
    chosen = []
    for setting in settings:
        key = (setting.path, setting.value)
        if left[key] > 0:
            left[key] -= 1
            chosen.append(setting)
    return chosen


def is_relevant(edit: SettingEdit) -> bool:
    """Return whether a setting says which topics there are, who reads them, or how records look."""
    path, key = edit.setting.path, edit.key
    if _SWITCH.fullmatch(".".join((*path[:-1], key))) or _OF_SCHEMA.fullmatch(key):
        return True
    if _HARMLESS.fullmatch(key):
        return False
    if _RELEVANT.fullmatch(key) or _OF_DATA.search(".".join(path)) or any(map(_RESOURCE.match, path)):
        return True
    return len(path) > 1 and _RELEVANT.fullmatch(path[-2]) is not None


def is_certain(edit: SettingEdit, text: str) -> bool:
    """Return whether a setting of no known program is one of Kafka, as its name and the *text* around it say."""
    path = ".".join(edit.setting.path[-2:])
    if _CONVERTER.search(path) or any(map(_RESOURCE.match, edit.setting.path)) or is_of_template(edit, text):
        return True
    return _STRONG.search(path) is not None and (_OF_KAFKA.search(text) is not None or edit.setting.path[0] == "topic")


def is_right(edit: SettingEdit) -> bool:
    """Return whether a setting is of a resource that gives or takes rights."""
    return any(re.match(r"resource\s.*(?:acl|role_binding)", key) for key in edit.setting.path)


def is_of_records(edit: SettingEdit) -> bool:
    """Return whether a setting of a topic's description says how long its records stay, or where they go."""
    return _OF_RECORDS.fullmatch(edit.key) is not None


_OF_RECORDS = re.compile(
    r"(?i)partitions|cleanup[._-]?policy|(?:delete|local)?[._-]?retention[\w.-]*|(?:min|max)[._-]?compaction[\w.-]*"
    r"|max[._-]?message[\w.-]*"
)


def shown_edits(edits: Sequence[SettingEdit], after: Iterable[Setting]) -> list[str]:
    """Return what the first of *edits* do, for people; blocks that Terraform has no more *after* are removed."""
    blocks = {one.path[0] for one in after}
    shown = []
    for edit in edits:
        block = edit.setting.path[0]
        is_gone = blocks and block not in blocks and _ADDED.match(block)
        shown.append(f"{block} is removed" if is_gone else f"the setting {edit.shown} changes")
    return list(dict.fromkeys(shown))[:_SHOWN]


def is_addition(edit: SettingEdit, before: Iterable[Setting]) -> bool:
    """Return whether an edit of Terraform only adds: a block that was not there *before*, or an entry of a list.

    A block that denies something takes a right away, so it is not one.
    """
    path = edit.setting.path
    if edit.before is not None or _TAKES.search(f"{' '.join(path)} {edit.setting.value}"):
        return False
    return path[-1] == "-" or (_ADDED.match(path[0]) is not None and all(one.path[0] != path[0] for one in before))


_ADDED = re.compile(r"(?:resource|module)\s")
_TAKES = re.compile(r"(?i)deny|exclu|except|ignore|black")


def is_of_template(edit: SettingEdit, text: str) -> bool:
    """Return whether a setting is of a resource of Kafka in a template, which cannot be read as such."""
    return "{{" in text and _KAFKA_API.search(text) is not None and not _HARMLESS.fullmatch(edit.key)


def is_of_copy(edit: SettingEdit, text: str) -> bool:
    """Return whether a setting is of a topic or connector, which is read from another file if both have it."""
    is_harmless = (
        _HARMLESS.fullmatch(edit.key) or _RUN_OF_COPY.fullmatch(edit.key) or edit.setting.path[0] == "metadata"
    )
    return _COPIED.search(text) is not None and not is_harmless


_COPIED = re.compile(r"(?m)^kind:\s*[\"']?(?:KafkaTopic|KafkaConnector|Connector)\b")
_RUN_OF_COPY = re.compile(r"(?i)tasks?[._]?max|(?:segment|flush|index|min\.insync|unclean)[\w.]*")
_KAFKA_API = re.compile(r"apiVersion:\s*[\"']?(?:kafka\.strimzi\.io|platform\.confluent\.io|flink\.apache\.org)")


def is_of_worker(edit: SettingEdit) -> bool:
    """Return whether a setting is one of a worker of Kafka Connect, which has it for its connectors."""
    return _CONVERTER.search(edit.key) is not None


_CONVERTER = re.compile(r"(?i)(?:key|value)[._-]?converter")
_STRONG = re.compile(r"(?i)topic|group[._-]?id|consumer[._-]?group|application[._-]?id|serde|seriali[sz]er")
_OF_KAFKA = re.compile(r"(?i)kafka|bootstrap[._-]?servers|\bbrokers?\b|debezium|connector\.class|redpanda")


def library_edits(before: str, after: str) -> list[tuple[str, int, str]]:
    """Return the libraries of Kafka, Avro or Flink that a build file adds, drops or changes in another major version.

    Each with the line and what happens.
    """
    old, new = _libraries(before), _libraries(after)
    found: list[tuple[str, int, str]] = []
    if not before or not after:
        return found  # the program is new, or gone
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name), new.get(name)
        if was is None or now is None:
            line, did = (now or was or ("", 1))[1], "added" if was is None else "removed"
            found.append((name, line, did))
        elif was[0].split(".")[0] != now[0].split(".")[0]:
            found.append((name, now[1], f"{was[0] or 'no version'} → {now[0] or 'no version'}"))
    return found


def _libraries(text: str) -> dict[str, tuple[str, int]]:
    """Return the libraries that matter, each with its version and line."""
    found: dict[str, tuple[str, int]] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if _COMMENT.match(line) or "// indirect" in line or "test" in line.lower():
            continue
        for match in _LIBRARY.finditer(line):
            name = re.sub(r"/v\d+$", "", match[0].rstrip("./-"))
            rest = line[match.end() :] + ("" if "<" not in line else " ".join(lines[number : number + 2]))
            version = _NUMBER.search(rest)
            major = re.search(r"/v(\d+)$", match[0].rstrip("./-"))
            shown = version[0] if version else ""
            found.setdefault(name, (shown if not major else f"{major[1]}.{shown.partition('.')[2]}", number))
    return found


def command_lines(before: str, after: str, moved: Iterable[str] = ()) -> list[tuple[int, str]]:
    """Return the changed lines of a script that run something on Kafka, each with its number.

    The directories of *moved* files do not count.
    """
    names = "|".join(map(re.escape, sorted(moved)))
    directories = re.compile(rf"(?:[\w.-]*/)+(?=(?:{names})(?![\w.-]))") if names else None
    old: dict[str, int] = {}
    new: dict[str, int] = {}
    for text, lines in ((before, old), (after, new)):
        for number, line in enumerate(text.splitlines(), 1):
            plain = (directories.sub("", line) if directories else line).strip()
            if _COMMAND.search(plain) and not _REMARK.match(plain):
                lines.setdefault(plain, number)
    return sorted((number, line) for line, number in {**old, **new}.items() if (line in old) != (line in new))


def request_lines(before: str, after: str) -> list[tuple[int, str]]:
    """Return the changed lines of a program that call a schema registry or Connect over HTTP, each with its number."""
    if not _ADMINISTERS.search(before + after):
        return []
    old, new = (
        {line.strip(): number for number, line in enumerate(text.splitlines(), 1) if _REQUEST.search(line)}
        for text in (before, after)
    )
    return sorted((number, line) for line, number in {**old, **new}.items() if (line in old) != (line in new))


_ADMINISTERS = re.compile(r"(?i)schema[._-]?registry|registry[._-]?ur[li]|kafka[._-]?connect|connect[._-]?ur[li]")
_REQUEST = re.compile(r"[}\w\"'`]/(?:subjects|connectors)(?:/|[\"'`?])|[\"'`]/(?:subjects|connectors)/")

_REMARK = re.compile(
    r"\s*(?:#|//|REM\b|::)|(?:-\s+)?(?:name|uses|if|id|description|image|key|paths?|working-directory|context|file|tags?):\s"
    r"|-\s+[\"']?[\w.*/-]+[\"']?$|(?:echo|printf|print|log)\b|[^|;&]*(?:\s--(?:list|describe)\b|\b(?:list|describe|status|show)\b)[^;&]*$"
)
"""A comment, a member of a workflow that is not a command, an output, or a command that only looks."""


def stopped_services(before: Iterable[Setting], after: Iterable[Setting]) -> Iterator[tuple[str, Setting, str]]:
    """Yield the services of a compose file that are gone, or do nothing any more, each with a line and what happens."""
    old, new = _services(before), _services(after)
    for name, settings in old.items():
        if name not in new:
            yield name, settings[0], "is removed"
            continue
        for setting in new[name]:
            is_command = len(setting.path) > 2 and setting.path[2] in ("command", "entrypoint")
            if is_command and _STOPPED.fullmatch(setting.value) and setting not in settings and setting.value:
                yield name, setting, f"only runs {setting.value!r}"


def _services(settings: Iterable[Setting]) -> Mapping[str, list[Setting]]:
    services: dict[str, list[Setting]] = {}
    for setting in settings:
        if len(setting.path) > 1 and setting.path[0] == "services":
            services.setdefault(setting.path[1], []).append(setting)
    return services


_MASK = re.compile(r"(?i)\*{2,}|x{3,}|<[^<>]*>|\[?(?:redacted|masked|hidden|removed)\]?|\$\{[^{}]+\}")


def is_masked(before: str | None, after: str | None) -> bool:
    """Return whether one of two values is a mask in place of the other: what it hides is not in the change."""
    return before is not None and after is not None and any(map(_MASK.fullmatch, (before, after)))
