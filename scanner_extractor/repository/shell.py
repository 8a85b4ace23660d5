"""Expand shell scripts without running them: the commands that they send, with variables, loops and here-documents.

Assignments, `for` loops over literal lists, `while read` loops over files, functions and calls of other scripts are
followed; both branches of conditions are. What depends on the environment stays as it is written, a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from scanner_extractor.repository.shell_words import VARIABLE, Piece, Token, plain_word, read_tokens

MOST_COMMANDS = 5_000
"""Commands of one script that are expanded, each as often as its loops repeat it."""
MOST_ITEMS = 500
"""Items of one loop."""
DEEPEST = 4
"""Levels of scripts and functions that call each other."""
_LONGEST = 1_000_000
_MOST_STEPS = 250_000
"""Parts of one script that are followed, each as often as it is repeated; a loop counts with the words in it."""
_MOST_REPLACED = 10_000_000
"""Characters of one script that variables are replaced by; later ones stay as they are written."""

_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<add>\+?)=")
_UPPER = re.compile(r"\btr\s+['\"]?(?:\[?a-z\]?|\[:lower:\])['\"]?\s+['\"]?(?:\[?A-Z\]?|\[:upper:\])")
_LOWER = re.compile(r"\btr\s+['\"]?(?:\[?A-Z\]?|\[:upper:\])['\"]?\s+['\"]?(?:\[?a-z\]?|\[:lower:\])")
_ECHO = re.compile(r"\s*(?:echo|printf)\s+(?:-\w+\s+)*(?P<text>[^|]*)")
_SEPARATORS = frozenset({";", "&", "&&", "||", "|", "\n", ";;", "(", ")", "|&"})
_WORDS_BEFORE = frozenset({"then", "do", "else", "!", "{", "}", "if", "elif", "while", "until", "time", "fi", "done"})
_DECLARING = frozenset({"export", "declare", "local", "readonly", "typeset"})


class Command(NamedTuple):
    """A command as it would run: its *words*, its here-documents and the file that it reads, and its line.

    Commands that pass their output on to each other have the same *pipeline*.
    """

    words: tuple[str, ...]
    documents: tuple[str, ...]
    reads: str
    line: int
    pipeline: int


@dataclass(slots=True)
class _State:
    """What a script has set: variables, arrays and functions, and the files that it may call or read."""

    variables: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, tuple[str, ...]] = field(default_factory=dict)
    functions: dict[str, Sequence[Token]] = field(default_factory=dict)
    count: int = 0
    steps: int = 0
    replaced: int = 0
    pipelines: int = 0


def expand_script(
    text: str,
    variables: Mapping[str, str],
    find_file: Callable[[str], str | None],
    *,
    arguments: Sequence[str] = (),
    list_files: Callable[[str], Sequence[str]] = lambda _: (),
) -> Iterator[Command]:
    """Yield the commands of a script; *find_file* returns the text of a file that it names, None where there is none.

    *variables* are those of the environment, *arguments* `$1` and so on; *list_files* returns the files of a pattern.
    Never raises for any text.
    """
    state = _State(variables=dict(variables))
    yield from _Script(state, find_file, list_files).run(read_tokens(text[:_LONGEST]), tuple(arguments), 0)


def assignments(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of the assignments of a script or an environment file, one on a line, as written."""
    for match in re.finditer(
        r"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=(\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'#]*)[ \t]*(?:#.*)?$", text, re.MULTILINE
    ):
        value = match[2]
        yield match[1], value[1:-1] if value[:1] in ("'", '"') else value


@dataclass(slots=True)
class _Script:
    state: _State
    find_file: Callable[[str], str | None]
    list_files: Callable[[str], Sequence[str]] = lambda _: ()

    def run(self, tokens: Sequence[Token], arguments: tuple[str, ...], depth: int) -> Iterator[Command]:
        """Yield the commands of *tokens* in order, with loops repeated."""
        at, is_piped = 0, False
        while at < len(tokens) and self.state.count < MOST_COMMANDS and self.state.steps < _MOST_STEPS:
            self.state.steps += 1
            word = plain_word(tokens[at])
            if word == "for":
                at, commands = self._for(tokens, at, arguments, depth)
                yield from commands
            elif word in ("while", "until"):
                at, commands = self._while(tokens, at, arguments, depth)
                yield from commands
            elif (body := self._function(tokens, at)) >= 0:
                at = body
            elif tokens[at].operator in _SEPARATORS or word in _WORDS_BEFORE:
                is_piped = tokens[at].operator in ("|", "|&", "\n") and (is_piped or tokens[at].operator != "\n")
                at += 1
            else:
                end = _command_end(tokens, at)
                self.state.pipelines += not is_piped
                is_piped = False
                yield from self._command(tokens[at:end], arguments, depth)
                at = max(end, at + 1)

    def _for(
        self, tokens: Sequence[Token], at: int, arguments: tuple[str, ...], depth: int
    ) -> tuple[int, Iterator[Command]]:
        name, start, end = plain_word(tokens[at + 1]) if at + 1 < len(tokens) else "", *_block(tokens, at)
        self.state.steps += end - at
        head = tokens[at + 2 : start]
        words = [token for token in head if not token.operator and plain_word(token) not in ("in", "do")]
        values = [item for token in words for item in self._values(token, arguments)]
        items = [file for item in values for file in (("*" in item and self.list_files(item)) or (item,))][:MOST_ITEMS]
        return end + 1, self._repeat(name, items, tokens[start:end], arguments, depth)

    def _while(
        self, tokens: Sequence[Token], at: int, arguments: tuple[str, ...], depth: int
    ) -> tuple[int, Iterator[Command]]:
        """Return the position behind a loop, and its commands: for each line of the file that it reads, else once."""
        start, end = _block(tokens, at)
        self.state.steps += end - at
        head = [plain_word(token) for token in tokens[at:start] if not token.operator]
        name = head[-1] if "read" in head else ""
        if name == "do" and len(head) > 1:
            name = head[-2]
        behind = tokens[end + 1 : end + 3]
        lines: Sequence[str] = ()
        if name and behind and behind[0].operator == "<" and len(behind) > 1:
            lines = (self.find_file(self._text(behind[1], arguments)) or "").splitlines()[:MOST_ITEMS]
        elif name and behind and behind[0].document is not None:
            lines = self._piece(behind[0].document, arguments).splitlines()[:MOST_ITEMS]
        items = [line.strip() for line in lines if line.strip()]
        if not items:
            return end + 1, self.run(tokens[start:end], arguments, depth)
        return end + 1, self._repeat(name, items, tokens[start:end], arguments, depth)

    def _repeat(
        self, name: str, items: Sequence[str], body: Sequence[Token], arguments: tuple[str, ...], depth: int
    ) -> Iterator[Command]:
        for item in items:
            self.state.variables[name] = item
            yield from self.run(body, arguments, depth)

    def _function(self, tokens: Sequence[Token], at: int) -> int:
        """Keep the function that is defined at a position; return the position behind it, -1 where there is none."""
        first = at + (plain_word(tokens[at]) == "function")
        signs = [token.operator for token in tokens[first + 1 : first + 3]]
        if signs != ["(", ")"] and first == at:
            return -1
        opening = next((i for i in range(first + 1, min(first + 6, len(tokens))) if plain_word(tokens[i]) == "{"), -1)
        if opening < 0:
            return -1
        level, end = 1, opening + 1
        while end < len(tokens) and level:
            level += (plain_word(tokens[end]) == "{") - (plain_word(tokens[end]) == "}")
            end += 1
        self.state.functions[plain_word(tokens[first])] = tokens[opening + 1 : end - 1]
        return end

    def _command(self, tokens: Sequence[Token], arguments: tuple[str, ...], depth: int) -> Iterator[Command]:
        self.state.count += 1
        tokens = self._after_assignments(tokens, arguments)
        if not tokens:
            return
        words: list[str] = []
        documents = [self._piece(token.document, arguments) for token in tokens if token.document is not None]
        reads, skip = "", ""
        for token in tokens:
            if token.operator:
                skip = token.operator
            elif skip in ("<", "<<<"):
                value = self._text(token, arguments)
                reads, documents = (value, documents) if skip == "<" else (reads, [*documents, value])
                skip = ""
            elif skip in (">", ">>"):
                skip = ""
            else:
                words += self._values(token, arguments)
                skip = ""
        if not words and not documents:
            return
        yield Command(tuple(words), tuple(documents), reads, tokens[0].line, self.state.pipelines)
        yield from self._called(words, depth)

    def _called(self, words: Sequence[str], depth: int) -> Iterator[Command]:
        """Yield the commands of the function or script that a command calls."""
        if depth >= DEEPEST or not words:
            return
        if (body := self.state.functions.get(words[0])) is not None:
            yield from self.run(body, tuple(words[1:]), depth + 1)
            return
        listed = list(words)
        sourced = listed[0] in ("source", ".")
        if sourced or listed[0] in ("bash", "sh", "zsh"):
            listed = [word for word in listed[1:] if not word.startswith("-")]
        if (
            listed
            and PurePosixPath(listed[0]).suffix in (".sh", ".bash", ".env", ".cfg", ".config", "")
            and ("/" in listed[0] or sourced or len(listed) < len(words))
        ):
            text = self.find_file(listed[0])
            if text is not None:
                kept = dict(self.state.variables)
                yield from self.run(read_tokens(text[:_LONGEST]), tuple(listed[1:]), depth + 1)
                if not sourced:
                    self.state.variables = kept

    def _after_assignments(self, tokens: Sequence[Token], arguments: tuple[str, ...]) -> Sequence[Token]:
        """Set the variables that a command begins with; return the rest of it."""
        at = 0
        while at < len(tokens):
            token = tokens[at]
            word = plain_word(token)
            if word in _DECLARING or (word.startswith("-") and at and plain_word(tokens[at - 1]) in _DECLARING):
                at += 1
                continue
            match = _ASSIGNMENT.match(word) if token.pieces and token.pieces[0].kind == "text" else None
            if not match:
                break
            arrays = [piece for piece in token.pieces if piece.kind == "array"]
            if arrays:
                listed = [value for word in read_tokens(arrays[0].text) for value in self._values(word, arguments)]
                self.state.arrays[match["name"]] = tuple(listed)
            else:
                value = self._text(token, arguments)[match.end() :]
                before = self.state.variables.get(match["name"], "") if match["add"] else ""
                if value or match["name"] not in self.state.variables:
                    self.state.variables[match["name"]] = (before + value)[:_LONGEST]
            at += 1
        return tokens[at:]

    def _values(self, token: Token, arguments: tuple[str, ...]) -> list[str]:
        """Return the words that a word stands for: several for an array or an unquoted list."""
        if len(token.pieces) >= 1 and all(piece.kind in ("expanded", "quoted") for piece in token.pieces if piece.text):
            text = "".join(piece.text for piece in token.pieces)
            match = VARIABLE.fullmatch(text)
            if match and match["all"]:
                return list(self.state.arrays.get(match["braced"], (text,)))
            if match and (match["plain"] or match["braced"]) in ("@", "*"):
                return list(arguments) or [text]
        value = self._text(token, arguments)
        is_list = token.pieces[:1] and token.pieces[0].kind == "expanded" and len(token.pieces) == 1
        return value.split() if is_list and "\n" not in value and "{" not in value and value.strip() else [value]

    def _text(self, token: Token, arguments: tuple[str, ...]) -> str:
        return "".join(self._piece(piece, arguments) for piece in token.pieces)

    def _piece(self, piece: Piece, arguments: tuple[str, ...]) -> str:
        match piece.kind:
            case "text":
                return piece.text
            case "command":
                return self._substituted(piece.text, arguments)
            case "document":
                parts = re.split(r"(\\[\\$`\n])", piece.text)
                plain = (part if number % 2 == 0 else "" for number, part in enumerate(parts))
                expanded = (self._expanded(part, arguments) for part in plain)
                escaped = [part[1:].replace("\n", "") if number % 2 else "" for number, part in enumerate(parts)]
                return "".join(text + escape for text, escape in zip(expanded, escaped, strict=True))
        return self._expanded(piece.text, arguments)

    def _expanded(self, text: str, arguments: tuple[str, ...]) -> str:
        return VARIABLE.sub(lambda match: self._counted(match, arguments), text)

    def _counted(self, match: re.Match[str], arguments: tuple[str, ...]) -> str:
        value = self._value(match, arguments) if self.state.replaced < _MOST_REPLACED else match[0]
        self.state.replaced += len(value)
        return value

    def _value(self, match: re.Match[str], arguments: tuple[str, ...]) -> str:
        name = match["braced"] or match["plain"]
        if name in ("@", "*"):
            return " ".join(arguments) or match[0]
        if name.isdigit():
            number = int(name)
            value = arguments[number - 1] if 0 < number <= len(arguments) else None
        else:
            value = self.state.variables.get(name)
        if not value and match["sign"]:
            return str(match["default"]).strip("\"'")
        if value is None:
            return match[0]
        if match["cut"]:
            return _cut(value, match["cut"], match["pattern"])
        return value.upper() if match["case"] == "^^" else value.lower() if match["case"] == ",," else value

    def _substituted(self, command: str, arguments: tuple[str, ...]) -> str:
        """Return what a command writes where the text shows it: a here-document, or an echo in another letter case."""
        tokens = read_tokens(command)
        documents = [token.document for token in tokens if token.document is not None]
        if documents and plain_word(tokens[0]) == "cat":
            return self._piece(documents[0], arguments)
        if (echo := _ECHO.match(command)) is not None:
            text = self._expanded(echo["text"].strip().strip("\"'"), arguments)
            rest = command[echo.end() :]
            if not rest.strip():
                return text
            if _UPPER.search(rest):
                return text.upper()
            if _LOWER.search(rest):
                return text.lower()
        words = [self._text(token, arguments) for token in tokens if not token.operator]
        match words:
            case ["basename", path, *ending]:
                return PurePosixPath(path).name.removesuffix(ending[0] if ending else "")
            case ["dirname", path]:
                return str(PurePosixPath(path).parent)
        # Of other commands only the files are kept: what they make of them is not known.
        files = [word for word in words[1:] if "." in word and self.find_file(word) is not None]
        return f"$({' '.join([plain_word(tokens[0]) if tokens else '', *files])})"


def _cut(value: str, sign: str, pattern: str) -> str:
    """Return a value without what a pattern matches at its start (`#`) or end (`%`); a star in it is at one end."""
    text, is_start, is_longest = pattern.strip("*"), sign[0] == "#", len(sign) == 2
    if text == pattern:
        return value.removeprefix(text) if is_start else value.removesuffix(text)
    if not text or text not in value or "*" in text:
        return value
    if is_start:
        return value.rpartition(text)[2] if is_longest else value.partition(text)[2]
    return value.partition(text)[0] if is_longest else value.rpartition(text)[0]


def _command_end(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].operator not in _SEPARATORS:
        at += 1
    return at


def _block(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """Return where the commands between `do` and its `done` begin and end."""
    level, start = 0, len(tokens)
    for number in range(at, len(tokens)):
        before = tokens[number - 1].operator in _SEPARATORS or (
            number and plain_word(tokens[number - 1]) in _WORDS_BEFORE
        )
        word = plain_word(tokens[number])
        if word == "do" and before:
            level += 1
            start = number + 1 if level == 1 else start
        elif word == "done" and before:
            level -= 1
            if level == 0:
                return start, number
    return start, len(tokens)
