"""Masking of free text. Recognised forms: `password=x`, `"password": "x"`, `<password>x</password>`, `--password x`.

Every pattern begins where a word begins and runs over a text once, so that any text takes linear time.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial

from scanner_model.redaction.commands import mask_commands
from scanner_model.redaction.names import HINTS, NO_EXTRA, ExtraNames, is_secret_name, words
from scanner_model.redaction.urls import OnSecret, mask_hooks, mask_logins
from scanner_model.redaction.values import MASK, mask_tokens

_KEY = re.compile(
    r"(?<![\w.-])(?P<name>[\w.-]++)(?:"
    r"(?P<assign>(?:\\*+[\"'`]\]?)?[ \t]{0,9}(?:=>|:=|==|->|(?<=-)>|[=:])(?:\s{0,200}(?=[\"'])|[ \t]{0,9}))"
    r"|(?P<encoded>%3[AaDd])"
    r"|(?P<call>(?:\\*+[\"'])?\s?[(,]\s?)(?=[rbuf]{0,2}\\*[\"'])"
    r"|(?P<space>[ \t]{1,9}(?:(?:is|was|of)[ \t])?)"
    r")"
)
"""A name and what stands between it and its value."""
_LINE_START = re.compile(r"[ \t]*(?:(?:[-#;*>|]|//|--|/\*|\{|export|set|SET|ENV|<!--)[ \t]*){0,4}")
_LONGEST_START = 80
_REFERENCE = re.compile(r"(?:\$\{[\w.-]+:[^{}]*\})+|\$\{[\w.-]+\}")
_OPENING = re.compile(r"[rbuf]{0,2}(?P<slashes>\\*)(?P<quote>\"\"\"|'''|[\"'`])")
_BRACKETS = re.compile(r"\{(?:[^}]|\}\}){0,300}+\}|\[[^\]]{0,2000}+\]|<[^<>\s]{0,300}+>")
_PLAIN = re.compile(
    r"(?:[^\s'\"`&;,)}\]<>|\\]|,(?=[^\s\w]|\w++(?![\w.-]*[=:]))|[)}\]](?![\s,;.:(/)\]}'\"&|<\\]|$)"
    r"|['\"`](?=\w)|\\(?![\"'nrt]))+"
)
_TO_LINE_END = re.compile(r"(?:[^\r\n]*\S)?")
_HEADER_VALUE = re.compile(r"(?:(?![,;|]\s?[\w-]{1,60}:)[^\r\n'\"\\])+")
_SCHEMES = re.compile(r"(?i)(?:basic|bearer|apikey|api-key|token|key|digest|negotiate|splunk|geniekey|jwt|oauth)[ \t]+")
_BLANKS = re.compile(r"[ \t]*")
_BLOCK = re.compile(r"[ \t]*+(?:[|>][+-]?\d?[ \t]*+)?\r?\n")
_NEXT_LINE = re.compile(r"\r?\n?(?P<indent>[ \t]*)(?P<item>-[ \t])?(?!at[ \t])[^\r\n]+")
_ENCODED = re.compile(r"[^\s&%'\"]+")
_ARGUMENT = re.compile(r"[^\s'\"|&;-][^\s'\"|&;]*")
_PORT = re.compile(r"\d{1,5}(?!\w)")
_SECRET_WORD = re.compile(r"(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])[^\s'\",;]{6,}")
_LONGEST_WORD, _DEEPEST = 8, 16
_LONGEST_SETTER = 16
_NO_SECRET = re.compile(
    r"(?i)(?:yes|no|true|false|null|none|nil|undefined|required|missing|empty|invalid|incorrect|must|is|was|not|expired"
    r"|cannot|should|authentication|string|\*{3,}|<redacted>|\[hidden\]|\?|%s|-+>?)(?![\w-])"
)
_EXPRESSION = re.compile(
    r"\((?:\?[:=!<P]|\[|\.[*+?]|\\[wWdDsS])|\[(?:\^|\[:|\w-\w)|\.[*+]|\\[wWdDsS][*+{]|%(?=[&'\"]|$)"
)
"""The start of a regular expression, or of a pattern of LIKE, which finds secrets but is not one."""
_TELLING = re.compile(r"(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])\S{6}|[A-Za-z]{1,20}[ \t]+(?=\S{0,60}\d)\S{6}")
_VAGUE = frozenset(
    {"token", "tokens", "signature", "sig", "secret", "secrets", "credential", "credentials", "pass", "cookie"}
)
"""Words before a colon in messages that do not name a secret: `Unexpected token: x`."""
_HEADERS = frozenset({"authorization", "cookie"})

_PEM = re.compile(
    r"(?P<key>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)(?P<value>(?:[^-]|-(?!----(?:END|BEGIN) ))*+)"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
)
_BEARER = re.compile(r"\b(?P<key>(?i:Basic|Bearer|ApiKey)\s{1,9}+)(?=[^\s\d=]*+[\d=])(?P<value>[A-Za-z0-9+/=._~-]{8,})")
_XML = re.compile(
    r"(?<!\?)<(?:name>\s{0,9}(?P<property>[\w.-]{1,200})\s{0,9}</name>\s{0,99}<value>"
    r"|(?P<element>[\w:.-]++)(?:[ \t][^<>]{0,300})?>(?:<!\[CDATA\[)?)(?P<value>[^<>]++)"
)
_XML_ATTRIBUTE = re.compile(
    r"<[\w:.-]++\s[^<>]{0,300}?\b(?:name|key|id)=[\"'](?P<name>[\w.-]{1,200})[\"'][^<>]{0,300}?"
    r"(?:\bvalue=[\"']|>)(?P<value>[^<>\"']++)"
)
_IDENTIFIED = re.compile(
    r"(?i)\bIDENTIFIED\s{1,9}(?:WITH\s{1,9}\S{1,60}\s{1,9})?(?:BY|AS)\s{1,9}(?:PASSWORD\s{1,9}|VALUES\s{1,9})?['\"]?"
    r"(?P<value>(?<=')[^']++|(?<=\")[^\"]++|[^\s;,'\"]++)"
)
_INVALID = re.compile(
    r"(?P<key>\bInvalid value )(?P<value>(?:(?! for configuration |Invalid value )[^\n])*+)"
    r"(?= for configuration (?P<name>[\w.-]{1,300}))"
)
_LOGIN = re.compile(
    r"(?P<key>(?<![\w-])(?:-u|-U|--(?:[a-z]{1,20}-){0,2}(?:user|auth|login|credentials?))[\s=]\s{0,9}['\"]?[^\s:'\"]{1,100}:)(?P<value>[^\s'\"]+)"
)
_KEY_WORDS = re.compile(
    r"(?i)\b(?:api|access|secret|private|account|shared|auth|encryption|master|signing) keys?(?: is)?"
    r"\s{0,9}[:=]\s{0,9}['\"]?(?P<value>[^\s'\",;]{4,})"
)
_POSITIONAL = re.compile(
    r"(?i)\b(?:(?:mysql|postgresql|mongodb)\s{0,9}\((?:\s{0,9}'[^']*+'\s{0,9},){4}"
    r"|(?:s3|s3queue|s3cluster|gcs|oss|cosn|deltalake|iceberg|hudi)\s{0,9}\((?:\s{0,9}'[^']*+'\s{0,9},){2})"
    r"\s{0,9}'(?P<value>[^']++)'"
)
"""Engines and table functions of ClickHouse, whose arguments have no names: the password after the user, the secret key
after its ID. Source: ClickHouse, references of table engines and table functions."""
_OTHERS = (
    (" key", _KEY_WORDS),
    ("identified", _IDENTIFIED),
    ("basic", _BEARER),
    ("bearer", _BEARER),
    ("apikey", _BEARER),
    ("-u", _LOGIN),
    ("-user", _LOGIN),
    *((mark, _LOGIN) for mark in ("auth", "login", "credential")),
)
"""Forms without a secret name, each with a marker that a matching text contains in lower case."""
_SIGN = re.compile(r"[=:\s%(>]")
"""Without one of these no form fits; most texts are names."""
_CACHED_LENGTH = 20_000
_CLASSES = frozenset({"exception", "error", "fault"})


def mask_text(text: str, extra: ExtraNames = NO_EXTRA, on_secret: OnSecret | None = None) -> str:
    """Hide what looks like a secret in a message or a property text; anything else stays as it is.

    *on_secret* is called with each secret that was hidden.
    """
    if not _SIGN.search(text):
        return mask_tokens(text)
    return (
        _repeated(text, extra) if on_secret is None and len(text) <= _CACHED_LENGTH else _masked(text, extra, on_secret)
    )


@lru_cache(maxsize=512)
def _repeated(text: str, extra: ExtraNames) -> str:
    """Hide the secrets of a text that may come again: tasks that fail together have one trace."""
    return _masked(text, extra, None)


def _masked(text: str, extra: ExtraNames, on_secret: OnSecret | None) -> str:
    lower = text.lower()
    if "private key" in lower:
        text = _PEM.sub(lambda match: _hide(match, on_secret), text)
    # Places before names: a name would take `<<<` for its value, and leave what is behind it.
    text = mask_commands(text, partial(_hidden, on_secret=on_secret))
    if has_hint(lower, extra):
        for pattern in (_INVALID, _XML, _XML_ATTRIBUTE):
            text = pattern.sub(lambda match: _hide_named(match, extra, on_secret), text)
        text = _mask_named(text, extra, on_secret)
    for mark, pattern in _OTHERS:
        if mark in lower:
            text = pattern.sub(lambda match: _hide(match, on_secret), text)
    return mask_tokens(mask_hooks(mask_logins(text, on_secret), on_secret))


def mask_users(text: str) -> str:
    """Hide the passwords that statements give to users (`IDENTIFIED BY`), or by position."""
    if "identified" in text.lower():
        text = _IDENTIFIED.sub(lambda match: _hide(match, None), text)
    return _POSITIONAL.sub(lambda match: _hide(match, None), text)


def has_hint(lower: str, extra: ExtraNames = NO_EXTRA) -> bool:
    """Check whether a text in lower case may hold a secret name at all."""
    return any(hint in lower for hint in HINTS) or any(name in lower for name in extra)


def _mask_named(text: str, extra: ExtraNames, on_secret: OnSecret | None) -> str:
    parts: list[str] = []
    at = 0
    for key in _KEY.finditer(text):
        if key.start() < at or not is_secret_name(key["name"], extra):
            continue
        begin, end = _value(text, key)
        if begin < end:
            if on_secret:
                on_secret(text[begin:end])
            parts += text[at:begin], MASK
            at = end
    return "".join([*parts, text[at:]]) if parts else text


def _value(text: str, key: re.Match[str]) -> tuple[int, int]:
    """Return where the value of a secret name begins and ends; nothing between both if absent."""
    at, name = key.end(), words(key["name"])
    nothing = at, at
    if any(pattern.match(text, at) for pattern in (_REFERENCE, _NO_SECRET, _EXPRESSION)) or name[-1] in _CLASSES:
        return nothing
    if key["encoded"]:
        return at, _end(_ENCODED, text, at)
    quoted = _quoted(text, at)
    if key["call"]:
        return quoted if _is_call(text, key, quoted[1]) else nothing
    if key["space"]:
        return _after_space(text, key, quoted)
    if quoted[1]:
        return quoted
    return _unquoted(text, key)


def _unquoted(text: str, key: re.Match[str]) -> tuple[int, int]:
    at, name, sign = key.end(), words(key["name"]), key["assign"].strip()
    nothing = at, at
    if _HEADERS & set(name):
        return at, _end(_HEADER_VALUE, text, at)
    if sign == ":" and not _is_labelled(text, key, name):
        return nothing
    if (bracket := _BRACKETS.match(text, at)) and not (sign == ":" and "type" in bracket[0]):
        return at, bracket.end()
    if sign in ("=", ":") and _starts_line(text, key):
        return at, _line_end(text, key)
    scheme = _SCHEMES.match(text, at)
    return at, _end(_PLAIN, text, scheme.end() if scheme else at)


def _is_labelled(text: str, key: re.Match[str], name: tuple[str, ...]) -> bool:
    """Check whether a colon separates a name from its secret, rather than host and port, or parts of a sentence."""
    at = key.end()
    if text[at : at + 1] in ("/", ":", "") or text[max(key.start() - 2, 0) : key.start()] == "//":
        return False
    if _starts_line(text, key) and (text[at - 1] != ":" or text[at] in "\r\n"):
        return True
    if text[at - 1] == ":" and (not is_secret_name(name[-1]) or (len(name) > 1 and _PORT.match(text, at))):
        return False
    return name[-1] not in _VAGUE or len(name) > 1 or bool(_TELLING.match(text, at))


def _after_space(text: str, key: re.Match[str], quoted: tuple[int, int]) -> tuple[int, int]:
    """Return the value of an option (`--password x`), or one that a message quotes (`password 'x'`)."""
    at, name = key.end(), words(key["name"])
    if key["name"].startswith("-") or _is_environment(text, key):
        return quoted if quoted[1] else (at, _end(_ARGUMENT, text, at))
    if not is_secret_name(name[-1]):
        return at, at
    if quoted[1]:
        return quoted if name[-1] not in _VAGUE or quoted[1] - quoted[0] >= _LONGEST_WORD else (at, at)
    word = _SECRET_WORD.match(text, at)
    return (at, word.end()) if word else (at, at)


def _is_environment(text: str, key: re.Match[str]) -> bool:
    """Check for a variable that is set without a sign: `ENV` of a Dockerfile, `setenv` of csh, `setx` of Windows."""
    before = text[max(key.start() - _LONGEST_SETTER, 0) : key.start()]
    return before.endswith((" ", "\t")) and before.split()[-1:] in (["ENV"], ["setenv"], ["setx"])


def _is_call(text: str, key: re.Match[str], end: int) -> bool:
    """Check for `setPassword("x")` and `option("password", "x")`; `select("password", "x")` has the same form."""
    if key["call"].lstrip("\\\"' ").startswith("("):
        return True
    before = text[max(key.start() - 8, 0) : key.start()].rstrip("\\\"' ")
    return before.endswith("(") and text[end + 1 : end + 4].lstrip("\\\"' ").startswith(")")


def _quoted(text: str, at: int) -> tuple[int, int]:
    """Return where a quoted value begins and ends, at the end of the text where nothing closes it; else (at, 0)."""
    opening = _OPENING.match(text, at)
    if not opening:
        return at, 0
    begin, quote, depth = opening.end(), opening["quote"], len(opening["slashes"])
    end = text.find(quote, begin)
    while end >= 0:
        slashes = _slashes(text, end, begin)
        doubled = depth == 0 and quote == "'" and text.startswith("''", end)
        if not doubled and (slashes < depth + 1 if depth else slashes % 2 == 0):
            return begin, max(end - min(slashes, depth), begin)
        end = text.find(quote, end + (2 if doubled else 1))
    return begin, len(text)


def _slashes(text: str, end: int, begin: int) -> int:
    """Count the backslashes before *end*; more than a few are all the same."""
    count = 0
    while count < _DEEPEST and end - count > begin and text[end - count - 1] == "\\":
        count += 1
    return count


def _starts_line(text: str, key: re.Match[str]) -> bool:
    start = key.start()
    line = text.rfind("\n", max(start - _LONGEST_START, 0), start) + 1
    return (line > 0 or start <= _LONGEST_START) and _LINE_START.fullmatch(text, line, start) is not None


def _line_end(text: str, key: re.Match[str]) -> int:
    """Return the end of the line, or of the indented lines below it where a block begins (YAML)."""
    end = key.end()
    block = _BLOCK.match(text, end)
    if not block:
        return _end(_TO_LINE_END, text, end)
    line_start = text.rfind("\n", max(key.start() - _LONGEST_START, 0), key.start()) + 1
    column = _end(_BLANKS, text, line_start) - line_start
    at = block.end()
    while line := _NEXT_LINE.match(text, at):
        if len(line["indent"]) <= column and not (line["item"] and len(line["indent"]) == column):
            break
        end = at = line.end()
    return end


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _hidden(secret: str, on_secret: OnSecret | None) -> str:
    if on_secret:
        on_secret(secret)
    return MASK


def _hide(match: re.Match[str], on_secret: OnSecret | None) -> str:
    if on_secret:
        on_secret(match["value"])
    start = match.start()
    return match[0][: match.start("value") - start] + MASK + match[0][match.end("value") - start :]


def _hide_named(match: re.Match[str], extra: ExtraNames, on_secret: OnSecret | None) -> str:
    groups = match.groupdict()
    name = groups.get("name") or groups.get("element") or groups.get("property") or ""
    return match[0] if not is_secret_name(name, extra) else _hide(match, on_secret)
