"""Effects of changed lines that no reader covers: names of topics, and the code of programs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from scanner_api.change_check.git import ObjectReader, Trees
from scanner_api.change_check.model import ChangeFinding
from scanner_extractor.repository.files import LARGEST, is_candidate, is_left_out
from scanner_extractor.repository.syntax_trees import is_test, words

_DOCUMENTS = words(".adoc .asciidoc .gif .ico .jpeg .jpg .license .markdown .md .mdx .pdf .png .rst .svg .webp")
_ASSETS = words(
    ".css .scss .sass .less .eot .ttf .woff .woff2 .map .snap .sum .lock .log .http .dotsettings .sln .suo .iml"
)
_TEST = re.compile(
    r"(?i)(?:^|/)(?:src/)?(?:i?tests?|itest|integration[-_]?tests?|functional[-_]?tests?|features/steps?|testdata|test[-_]?data|fixtures"
    r"|mocks?|__mocks__|e2e|cypress|benchmarks?|[\w.-]+[.-](?:unit|integration)?tests?|tracetest|load-?generator)/"
    r"|(?:^|/)features/(?:step_definitions|support)/|(?:^|/)features/environment\.py$|\.feature$|(?:^|/)\w+_suite_test\.go$"
    r"|\.(?:robot|jmx)$|(?:^|/)(?:mock_|test_)\w+\.(?!tf$|avsc$|k?sql$)\w+$"
)
"""Directories and names of tests, by convention."""
_BY_NAME = re.compile(
    r"(?:LICENSE|NOTICE|AUTHORS|CODEOWNERS|CONTRIBUTORS|MAINTAINERS|CHANGELOG|CHANGES|VERSION|\.gitignore|\.gitattributes|\.editorconfig)"
)
_LOCK = re.compile(r"(?:package-lock|npm-shrinkwrap|packages\.lock)\.json|pnpm-lock\.ya?ml|\.terraform\.lock\.hcl")
_OF_KAFKA = re.compile(r"(?i)kafka|avro|ksql|flink|debezium|schema.?registry|topic|producer|consumer|/subjects/")
_CODE = words(".cs .go .groovy .java .js .jsx .kt .kts .mjs .cjs .php .py .rb .rs .scala .ts .tsx .vue .tf .hcl")
_PROGRAMS = _CODE - words(".tf .hcl .vue")
_QUOTED = re.compile(r"[\"'`]([A-Za-z0-9._-]{2,249})[\"'`]")
_WORD = re.compile(r"[A-Za-z0-9._-]{2,249}")
_IS_SPECIFIC = re.compile(r"[A-Za-z0-9][._-][A-Za-z0-9]|[A-Z]{2}")
_OF_TOPICS = re.compile(r"(?i)topic|kafka|stream|input|output|source|sink|read|writ|produc|consum|connector")


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


def is_script(path: str) -> bool:
    """Return whether a file runs commands, by its name."""
    name = path.rpartition("/")[2]
    return name.endswith((".sh", ".bash", ".ps1", ".bat", ".cmd", ".mk")) or name in _SCRIPTS or is_workflow(path)


_SCRIPTS = frozenset(("Makefile", "makefile", "GNUmakefile", "Justfile", "justfile", "Jenkinsfile", "Vagrantfile"))


def is_program(path: str) -> bool:
    """Return whether the file at *path* is source code, by its ending."""
    return PurePosixPath(path).suffix.lower() in _PROGRAMS


def changed_names(trees: Trees, names: Collection[str], objects: ObjectReader) -> Iterator[tuple[str, str, int]]:
    """Yield those of *names* that stand more often in the changed files of one commit, each with such a file and line.

    Tests and documentation do not count, nor does SQL, whose flows are compared. What an added program names, or
    Terraform in addition, does not count either: it can only use a topic, or give a right to.
    """
    changed = [path for path in trees.changed if is_candidate(path) and not is_left_out(path)]
    changed = [path for path in changed if not why_harmless(path) and not path.lower().endswith((".sql", ".ksql"))]
    places: dict[str, list[tuple[str, int]]] = {}
    total: Counter[str] = Counter()
    added: Counter[str] = Counter()
    for tree, sign in ((trees.base, -1), (trees.head, 1)):
        listed = [path for path in changed if path in tree]
        objects.expect(tree[path] for path in listed)
        for path in listed:
            for name, lines in names_in(path, objects.read(tree[path]), names).items():
                total[name] += sign * len(lines)
                if path.endswith(".tf") or (path not in trees.base and is_program(path)):
                    added[name] += sign * len(lines)
                places.setdefault(name, []).append((path, lines[0]))
    counted = ((name, count) for name, count in sorted(total.items()) if count and (count < 0 or count != added[name]))
    yield from ((name, *places[name][-1]) for name, _ in counted)


def speaks_of_kafka(trees: Trees, objects: ObjectReader) -> bool:
    """Return whether a changed line of any file has a word of Kafka, whatever its effect is."""
    for path in trees.changed:
        before, after = (
            objects.read(tree[path]) if path in tree and _is_text(path) else b"" for tree in (trees.base, trees.head)
        )
        if max(len(before), len(after)) <= LARGEST and b"\0" not in before[:8192] + after[:8192]:
            lines = set(before.splitlines()) ^ set(after.splitlines())
            if any(_OF_KAFKA.search(line.decode("utf-8", "replace")) for line in lines):
                return True
    return False


def _is_text(path: str) -> bool:
    return is_candidate(path) or PurePosixPath(path).suffix.lower() in (".md", ".adoc", ".rst")


def changed_programs(trees: Trees) -> Iterator[str]:
    """Yield the changed source files, without tests and vendored ones."""
    for path in trees.changed:
        if is_program(path) and not is_left_out(path) and not why_harmless(path):
            yield path


def named_by(finding: ChangeFinding) -> frozenset[str]:
    """Return the names that a finding is about: of its target and item, and of the dataset of a column."""
    target = finding.target.partition(" ")[2]
    item = finding.item
    return frozenset((target, item, item.rpartition(".")[0], item.partition(".")[0]))


def names_in_text(text: str, names: Collection[str], keys: Collection[str]) -> set[str]:
    """Return those of *names* that are words of a text.

    A name of one word counts only if a word in *keys* is about topics.
    """
    found = {name for name in _WORD.findall(text) if name in names or name.rstrip(".-") in names}
    is_about = any(_OF_TOPICS.search(key) for key in keys)
    return {name for name in found if is_about or _IS_SPECIFIC.search(name)}


def names_in(path: str, content: bytes, names: Collection[str]) -> dict[str, list[int]]:
    """Return the lines that contain each of *names*: as a word, in a program between quotation marks.

    A name of one word counts in lines about topics only: others may mean anything by it.
    """
    if len(content) > LARGEST or b"\0" in content[:8192]:
        return {}
    word = _QUOTED if PurePosixPath(path).suffix.lower() in _CODE else _WORD
    found: dict[str, list[int]] = {}
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        named = [name for name in word.findall(line) if name in names]
        if not named:
            continue
        is_about = _OF_TOPICS.search(line) is not None  # once for a line, which may be as long as a file
        for name in named:
            if is_about or _IS_SPECIFIC.search(name):
                found.setdefault(name, []).append(number)
    return found
