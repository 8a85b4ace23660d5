"""Files in a form that nothing declares: each is named with the topics, subjects or connectors that it mentions.

What is not read is said. A file that no reader understood may use Kafka all the same: it names something that is known,
or it has the settings that every client of Kafka needs, an address of brokers, and speaks of topics.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.dashboards.grafana import only_shows
from scanner_extractor.repository.declared import path_of
from scanner_extractor.repository.files import LARGEST, RepositoryFile
from scanner_extractor.repository.schemas import form_of, is_json_schema, topics_by_form
from scanner_extractor.repository.statements import names_topic, statements_of
from scanner_extractor.repository.syntax_trees import is_test, words
from scanner_model.declarations import DeclaredKind

UNDECLARED = "undeclared form"
"""What such a file is listed as."""
_DOCUMENTS = words(
    ".adoc .asciidoc .drawio .gif .ico .jpeg .jpg .license .markdown .md .mdx .pdf .plantuml .png .puml .rst .svg .webp"
)
_ASSETS = words(".css .scss .sass .less .eot .ttf .woff .woff2 .map .snap .sum .lock .log .dotsettings .sln .suo .iml")
_TEST = re.compile(
    r"(?i)(?:^|/)(?:src/)?(?:i?tests?|itest|integration[-_]?tests?|functional[-_]?tests?|features/steps?|testdata|test[-_]?data|fixtures"
    r"|mocks?|__mocks__|e2e|cypress|benchmarks?|[\w.-]+[.-](?:unit|integration)?tests?|tracetest|load-?generator)/"
    r"|(?:^|/)features/(?:step_definitions|support)/|(?:^|/)features/environment\.py$|\.feature$|(?:^|/)\w+_suite_test\.go$"
    r"|\.(?:robot|jmx)$|(?:^|/)(?:mock_|test_)\w+\.(?!tf$|avsc$|k?sql$)\w+$"
)
"""Directories and names of tests, by convention."""
_PAGES = words(".htm .html .xhtml")
"""Pages of browsers, which have no client of Kafka."""
_BY_NAME = re.compile(
    r"(?:LICENSE|NOTICE|AUTHORS|CODEOWNERS|CONTRIBUTORS|MAINTAINERS|CHANGELOG|CHANGES|VERSION|\.gitignore|\.gitattributes|\.editorconfig)"
)
_LOCK = re.compile(r"(?:package-lock|npm-shrinkwrap|packages\.lock)\.json|pnpm-lock\.ya?ml|\.terraform\.lock\.hcl")
_CODE = words(".cs .go .groovy .java .js .jsx .kt .kts .mjs .cjs .php .py .rb .rs .scala .ts .tsx .vue .tf .hcl")
_PROGRAMS = _CODE - words(".tf .hcl .vue")
_QUOTED = re.compile(r"[\"'`]([A-Za-z0-9._-]{2,249})[\"'`]")
_WORD = re.compile(r"[A-Za-z0-9._-]{2,249}")
_IS_SPECIFIC = re.compile(r"[A-Za-z0-9][._-][A-Za-z0-9]|[A-Z]{2}")
_OF_TOPICS = re.compile(r"(?i)topic|kafka|stream|input|output|source|sink|read|writ|produc|consum|connector")
_CLIENT = re.compile(
    r"(?i)(?<=\bapiVersion: )\S{0,80}kafka\S{0,80}\s{1,20}kind:[ \t]{0,20}\w{0,40}"
    r"(?:Topic|User|Connector|Schema|Subject|ACL|ControlList)\b"
    r"|bootstrap[._-]?(?:broker[._-]?)?servers?\b|\bkafka[._-]?(?:connect[._-]?|cluster[._-]?)?brokers?\b(?![\]}])|\bbroker[._-]?list\b"
    r"|\bbrokers?\b[^\n]{0,20}:90\d\d\b|\bkafka\b[^\n]{0,60}:90\d\d\b|\bread_kafka\b|\bfrom\s+kafka\s*\("
    r"|\bcrn://[^\s\"']{1,400}/topic="
    r"|/subjects/[^\s\"'/]{1,249}/versions\b"
    r"|\bkafka-topics(?:\.sh|\.bat)?\b[^\n]{0,400}--create\b"
    r"|\btype[\"']?[ \t]?[:=][ \t]?[\"']?(?:apache-)?kafka(?:Trigger)?\b|(?<![\w./:-])kafka:[A-Za-z_{$/]"
)
"""What a client of Kafka needs in any product: the address of brokers, a source or an endpoint of the kind Kafka; the
topic of a right in Confluent Cloud's resource names; a resource of an operator of topics or schemas; a request to a
registry; and a command that creates a topic."""
_OF_BROKER = re.compile(
    r"(?im)^[^\n]{0,500}(?:listeners?|quorum[._-]?voters|--list|broker-api-versions\S{0,80}|storage[._-]topic"
    r"|topic[._-](?:replication|min|filter)[\w.-]{0,80}|auto[._-]create[._-]topics[\w.-]{0,80})\b[^\n]{0,500}"
)
"""Settings of a broker or worker, whose addresses and topics are its own, and checks of its health."""
_KAFKA = re.compile(r"(?i)kafka|redpanda|confluent")
_TOPIC_MEMBER = re.compile(
    r"(?im)(?<![\w/.-])[\"']?[\w.-]{0,80}topics?(?:[._-]?(?:names?|ids?|lists?))?[\"']?"
    r"(?:[ \t]{0,9}(?:=>|[:=]|>|</key>\s{0,9}<value>|,?\s{0,40}[\"']?value[\"']?:)[ \t]{0,9}(?:\[[ \t]{0,9}"
    r"|(?:#[^\n]{0,200})?\n[ \t]{0,40}-[ \t]{0,9}(?:(?:topic|topicName|name)[ \t]{0,9}:[ \t]{0,9})?)?"
    r"|[ \t]{1,40}(?=[\"']|[\w.-]{1,249}[ \t]{0,9}$))"
    r"[\"']{0,2}([A-Za-z][\w.-]{1,248})\b(?![\w.-]{0,80}[ \t]{0,9}[:(\[{=])"
)
"""A member that names a topic, in the syntaxes of settings: `topic: x`, `"topics": ["x"]`, `KAFKA_TOPIC 'x'`."""
_WORDS = frozenset(("true", "false", "null", "none", "string", "object", "array", "yes", "no"))
_TOPICS = re.compile(r"(?i)topic|subscribe|\bkafka:[A-Za-z_{$/]")
_GENERAL = (".yaml", ".yml", ".json")
"""Endings of documents that may be about anything: a client in them has to speak of topics, too."""
_MEMBER = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"(?m)^[ \t]*(?:#|//|--(?=[\s-]|$)|;|<!--)[^\n]*")
"""A line of a comment; two dashes before a word are an option of a command."""
_BUILD_FILES = frozenset(
    ("pom.xml", "package.json", "composer.json", "Cargo.toml", "pyproject.toml", "go.mod", "go.sum", "Gemfile")
)
_BUILD_ENDINGS = (".gradle", ".gradle.kts", ".csproj", ".fsproj", ".sln", ".props", ".targets", "requirements.txt")
_MOST = 512 * 1024
"""Characters of a file of settings that people write."""
_LISTED, _FEW_NAMES = 5, 40


TEST = "it is a test"
"""Why a file of tests declares nothing that runs."""


def why_harmless(path: str) -> str:
    """Return why the file at *path* declares nothing, whatever its content; empty where it may."""
    file = PurePosixPath(path)
    if file.suffix.lower() in _DOCUMENTS or _BY_NAME.fullmatch(file.name):
        return "it is documentation"
    if file.suffix.lower() in _ASSETS or file.name == ".DS_Store" or _LOCK.fullmatch(file.name):
        return "it is an asset or a lock file"
    return TEST if is_test(path) or _TEST.search(path) else ""


_WORKFLOW = re.compile(
    r"(?:.*/)?(?:\.github/.*|\.gitlab-ci\.ya?ml|\.gitlab/.*|\.circleci/.*|\.travis\.yml|Jenkinsfile|azure-pipelines.*|\.pre-commit-config\.yaml"
    r"|renovate\.json5?|\.?dependabot\.ya?ml|sonar-project\.properties|codecov\.ya?ml|\.golangci\.ya?ml|\.tekton/.*|\.rspec|tox\.ini|pytest\.ini|mkdocs\.ya?ml"
    r"|tsconfig[\w.]*\.json|\.eslintrc[\w.]*|\.editorconfig|launchSettings\.json|\.vscode/.*|\.idea/.*)"
)
"""Files of continuous integration, and of tools of developers."""


def is_workflow(path: str) -> bool:
    """Return whether a file belongs to continuous integration or to tools of developers."""
    return _WORKFLOW.fullmatch(path) is not None


def is_program(path: str) -> bool:
    """Return whether the file at *path* is source code, by its ending."""
    return PurePosixPath(path).suffix.lower() in _PROGRAMS


def names_in_text(text: str, names: Collection[str], keys: Collection[str]) -> set[str]:
    """Return those of *names* that are words of a text.

    A name of one word counts only if a word in *keys* is about topics.
    """
    found = {name for name in _WORD.findall(text) if name in names or name.rstrip(".-") in names}
    is_about = any(_OF_TOPICS.search(key) for key in keys)
    return {name for name in found if is_about or _IS_SPECIFIC.search(name)}


def words_in(text: str, word: re.Pattern[str] = _WORD) -> Iterator[str]:
    """Yield the words of a text that may be names, and the last step of each path: `topics.orders = …` is `orders`."""
    for found in word.findall(text):
        yield found
        if "." in found:
            yield found.rpartition(".")[2]


def names_in(path: str, content: bytes, names: Collection[str]) -> dict[str, list[int]]:
    """Return the lines that contain each of *names*: as a word, in a program between quotation marks.

    A name of one word counts in lines about topics only: others may mean anything by it.
    """
    if len(content) > LARGEST or b"\0" in content[:8192]:
        return {}
    word = _QUOTED if PurePosixPath(path).suffix.lower() in _CODE else _WORD
    found: dict[str, list[int]] = {}
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        named = [name for name in words_in(line, word) if name in names]
        if not named:
            continue
        is_about = _OF_TOPICS.search(line) is not None  # once for a line, which may be as long as a file
        for name in named:
            if is_about or _IS_SPECIFIC.search(name):
                found.setdefault(name, []).append(number)
    return found


def is_page(path: str) -> bool:
    """Return whether the file at *path* is a page of browsers, by its ending."""
    return PurePosixPath(path).suffix.lower() in _PAGES


def may_be_undeclared(file: RepositoryFile) -> bool:
    """Check whether a file may say something of Kafka in a form of its own: no program, page, document or test."""
    path = file.path
    if is_page(path):
        return False
    is_build = file.name in _BUILD_FILES or file.name.endswith(_BUILD_ENDINGS) or "ockerfile" in file.name
    return len(file.text) <= _MOST and not (is_build or is_program(path) or is_workflow(path) or why_harmless(path))


def leave_undeclared(paths: Iterable[str], read: Collection[str], context: Context) -> None:
    """Leave those of *paths* that are not among the files *read*, and that use a client or name what is known."""
    known = _known(context)
    members = _Members(context)
    for path in paths:
        if path not in read and (text := context.text(path)) and not only_shows(path, text):
            own = context.program_settings.get(path, frozenset())  # read as the settings of a program with these topics
            if named := sorted({*names_in(path, text.encode(), known)} - own) if _may_name(text, known) else []:
                context.leave(path, UNDECLARED, f"it names {_few(named)} in a form that is not read")
            elif own:
                continue
            elif topics := topics_in(text, path):
                context.leave(path, UNDECLARED, f"it names topic {_few(topics)} in a form that is not read")
            elif sign := _sign(path, text):
                context.leave(
                    path, UNDECLARED, f"it has settings of a Kafka client ({sign}) in a form that is not read"
                )
            elif (topic := members.topic_of(path)) and (fields := members.fields_in(text, topic)):
                what = f"it is called after topic {topic} and names its {_few(fields)} in a form that is not read"
                context.leave(path, UNDECLARED, what)
            elif is_json_schema(RepositoryFile(path, text)) and (topic := members.described_by(text)):
                what = f"it is a JSON Schema with all fields that programs use of topic {topic}, and no subject of it"
                context.leave(path, UNDECLARED, what)


class _Members:
    """Finds files that describe records in a language of their own, such as Thrift, FlatBuffers or XML Schema.

    Each is called after a topic, and names fields that programs use of it. A JSON Schema may be called otherwise.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    def topic_of(self, path: str) -> str:
        """Return the only topic that a file is called after; empty without one."""
        found = self._topics.get(form_of(PurePosixPath(path).stem), set())
        return next(iter(found)) if len(found) == 1 else ""

    def fields_in(self, text: str, topic: str) -> list[str]:
        """Return the fields of a topic that a text has as words; empty if most are missing, as in a table of data."""
        words_of_text = {word.casefold() for word in _MEMBER.findall(text)}
        fields = self._fields.get(topic, set())
        found = sorted(name for name in fields if name.casefold() in words_of_text)
        return found if 2 * len(found) >= len(fields) else []

    def described_by(self, text: str) -> str:
        """Return the only topic whose used fields, two or more, a text has all; empty without one."""
        names = {*_MEMBER.findall(text)}
        found = [topic for topic, fields in self._fields.items() if len(fields) > 1 and fields <= names]
        return found[0] if len(found) == 1 else ""

    @cached_property
    def _topics(self) -> Mapping[str, set[str]]:
        uses = (use.topic for use in self._context.collector.uses.values())
        return topics_by_form((*self._context.topic_names(), *uses))

    @cached_property
    def _fields(self) -> Mapping[str, set[str]]:
        fields: dict[str, set[str]] = {}
        for use in self._context.field_uses():
            fields.setdefault(use.topic, set()).update(use.path[-1:])
        return fields


def topics_in(text: str, path: str = "") -> list[str]:
    """Return the topics that members of a text name, if it or its path speaks of Kafka; a comment says nothing."""
    if "opic" not in text and "OPIC" not in text:
        return []
    if (separator := _TABLES.get(PurePosixPath(path).suffix.lower())) is not None:
        is_about = _KAFKA.search(path) or _KAFKA.search(text) or "artitions" in text.partition("\n")[0]
        return _topics_of_table(text, separator) if is_about else []
    plain = _COMMENT.sub("", text)
    members = _TOPIC_MEMBER.finditer(plain) if _KAFKA.search(path) or _KAFKA.search(plain) else ()
    found = dict.fromkeys(member[1] for member in members if "storage" not in member[0].casefold())
    return [name for name in found if name.casefold() not in _WORDS]


_TABLES = {".csv": ",", ".tsv": "\t"}
"""Endings of tables, and what is between their columns."""
_HEAD = re.compile(r"(?i)(?:kafka[._ -]?)?topic(?:[._ -]?name)?")
_CELL = re.compile(r"[\w.-]{1,249}")


def _topics_of_table(text: str, separator: str) -> list[str]:
    """Return the topics in the column of a table whose head says that it has topics."""
    lines = text.splitlines()
    cells = ([cell.strip("\"' ") for cell in line.split(separator)] for line in lines)
    head = next(cells, [])
    at = next((index for index, cell in enumerate(head) if _HEAD.fullmatch(cell)), None)
    found = (row[at] for row in cells if at is not None and at < len(row))
    return [*dict.fromkeys(cell for cell in found if _CELL.fullmatch(cell))]


def _may_name(text: str, known: Collection[str]) -> bool:
    """Return whether it is worth the time to look for names word by word."""
    return len(known) > _FEW_NAMES or any(name in text for name in known)


def _sign(path: str, text: str) -> str:
    """Return the setting of a client of Kafka in a text; empty without one, or if a document names no topic."""
    if path.lower().endswith(".sql") and names_topic(statements_of(text)):
        return "a topic as an option"
    small = text.casefold()
    words_of_clients = ("kafka", "bootstrap", "broker", "crn://", "/subjects/")
    plain = _OF_BROKER.sub("", _COMMENT.sub("", text)) if any(word in small for word in words_of_clients) else ""
    found = _CLIENT.search(plain) if not path.endswith(_GENERAL) or _TOPICS.search(plain) else None
    return " ".join(found[0].split()) if found else ""


def _known(context: Context) -> frozenset[str]:
    """Return the names of topics, connectors and subjects that files declare."""
    connectors = (name for kind, name in context.collector.declarations if kind is DeclaredKind.CONNECTOR)
    uses = (use.topic for use in context.collector.uses.values())
    subjects = (str(version.subject) for version in context.versions)
    return frozenset((*context.topic_names(), *connectors, *uses, *subjects))


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def read_paths(context: Context, found: Mapping[str, Sequence[RepositoryFile]], claiming: Iterable[str]) -> set[str]:
    """Return the paths of files that gave a fact or are listed already, and those of the *claiming* kinds."""
    places = (*(flow.evidence for flow in context.flows), *context.rights.values())
    paths = {path_of(place) for place in places} | {note.name.rpartition("#")[0] for note in context.annotations}
    paths |= {
        *context.collector.files,
        *context.schema_files,
        *context.table_files,
        *context.connector_names,
        *context.chart_files,
    }
    paths |= {path for path, _ in context.unread} | {entry.file.path for entry in context.inline}
    return paths | {file.path for kind in claiming for file in found.get(kind, ())}
