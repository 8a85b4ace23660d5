"""Secrets at their places in command lines: which options of a program hold one, by its manual."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

Span = tuple[int, int]


class Program(NamedTuple):
    """The places of secrets in the command line of a program.

    *options* have a secret as their value; *logins* a user, a sign of *separators* and a secret; *attached* are options
    whose secret follows without a space. *verbs*: only commands with one of these words. *after*: of the words behind a
    verb that are no options, the one at this place is a secret, from 1; 0: none is. *accounts*: a word USER/SECRET
    without an option is a login. *pairs* have NAME=SECRET.
    """

    options: frozenset[str] = frozenset()
    logins: frozenset[str] = frozenset()
    attached: str = ""
    separators: str = ":"
    verbs: frozenset[str] = frozenset()
    after: int = 0
    accounts: bool = False
    pairs: frozenset[str] = frozenset()


def _program(
    options: str = "", logins: str = "", *, verbs: str = "", **more: str | bool | int | frozenset[str]
) -> Program:
    words = (frozenset(text.split()) for text in (options, logins, verbs))
    return Program(*(next(words), next(words)), verbs=next(words), **more)  # type: ignore[arg-type]


_SQL_SERVER = _program("-P", attached="-P")
_MYSQL = _program(attached="-p")
_MONGO = _program("-p --password", attached="-p")
_LDAP = _program("-w")
_LOGIN = _program("-p --password", verbs="login")
_ORACLE = _program(accounts=True)
_STORES = "-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass -new"
_PROGRAMS: Mapping[str, Program] = {
    "curl": _program(
        "--oauth2-bearer --pass --proxy-pass --tlspassword",
        "-u -U --user --proxy-user -E --cert",
        pairs=frozenset({"-b", "--cookie"}),
    ),
    **dict.fromkeys(("http", "https", "xh"), _program(logins="-a --auth")),
    **dict.fromkeys(("mysql", "mariadb", "mysqldump", "mariadb-dump", "mysqladmin", "mysqlimport", "mysqlsh"), _MYSQL),
    **dict.fromkeys(("mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"), _MONGO),
    **dict.fromkeys(("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"), _LDAP),
    **dict.fromkeys(("docker", "podman", "nerdctl", "buildah", "skopeo", "crane", "helm", "oras", "az", "oc"), _LOGIN),
    **dict.fromkeys(
        ("sqlcmd", "bcp", "osql", "tsql", "mssql-cli", "mosquitto_pub", "mosquitto_sub", "ipmitool"), _SQL_SERVER
    ),
    **dict.fromkeys(("sqlplus", "sqlldr", "expdp", "impdp", "rman", "sqlcl"), _ORACLE),
    **dict.fromkeys(("keytool", "jarsigner"), _program(_STORES)),
    **dict.fromkeys(("zip", "unzip"), _program("-P")),
    **dict.fromkeys(
        (
            "rpk",
            "twine",
            "ncftpput",
            "ncftpget",
            "ncftpls",
            "cqlsh",
            "dsbulk",
            "beeline",
            "hive",
            "rabbitmqadmin",
            "snowsql",
            "ksql",
            "cypher-shell",
        ),
        _program("-p --password"),
    ),
    "7z": _program(attached="-p"),
    "sshpass": _program("-p", attached="-p"),
    "pulumi": _program(verbs="--secret", after=2),
    "redis-cli": _program("-a --pass"),
    "influx": _program("-t --token -p --password"),
    "smbclient": _program(logins="-U --user", separators="%"),
    "lftp": _program(logins="-u --user", separators=","),
    "vault": _program(verbs="login", after=1),
    "aws": _program(verbs="aws_secret_access_key aws_session_token", after=1),
    "confluent": _program("--api-secret --client-secret", verbs="store", after=2),
    "rabbitmqctl": _program(verbs="add_user change_password authenticate_user", after=2),
    "mc": _program(verbs="set add", after=4),
    "htpasswd": _program(verbs="-b -bc -cb -bB -Bb -bBc -bm -bs", after=3),
    "ssh-keygen": _program("-N -P"),
    "openssl": _program("-k -K", verbs="enc"),
    **dict.fromkeys(("zkCli.sh", "zookeeper-shell", "zookeeper-shell.sh"), _program(logins="digest")),
    "elasticsearch-users": _program("-p", verbs="useradd passwd"),
}
"""Program → its places. Sources: the manuals and `--help` of the programs."""

_START = re.compile(
    rf"(?<![\w.@-])(?:{'|'.join(sorted(map(re.escape, _PROGRAMS), key=len, reverse=True))})(?![\w.:@=-])"
)
_COMMAND_END = re.compile(r"[\n;|&]")
_LONGEST = 2_000
_WORD = re.compile(r"(?:\\\n|[ \t])*(?P<word>(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+)")
_LITERAL = re.compile(r"(?P<key>--from-literal[ =]['\"]?[\w.-]{1,200}=)(?P<value>[^\s'\"]+)")
_READS_INPUT = (
    r"(?:--password-stdin|--with-token|\bkinit\b|\bchpasswd\b|\bsudo[^|\n<]{0,60} -S|passwd --stdin|--passphrase-fd"
    r"|\bsecrets? (?:set|put|create|add)\b)"
)
"""What in a command line says that a secret comes from standard input."""
_PIPED = re.compile(
    r"(?P<key>\b(?:echo|printf)(?: -[neE]+)?(?: ['\"]?%s(?:\\n)?['\"]?)?[ \t]{1,9}['\"]?)"
    rf"(?P<value>[^\s'\"|$%][^'\"|\n]{{0,200}})['\"]?[ \t]{{0,9}}\|(?=[^|\n]{{0,200}}{_READS_INPUT})"
)
_REDIRECTED = re.compile(
    rf"(?P<key>(?:{_READS_INPUT}|\b[\w-]{{0,40}}(?:passwd|password|secret|token)\b)"
    r"[^|\n<]{0,200}<<<[ \t]{0,9}['\"]?)"
    r"(?P<value>(?<=['\"])[^'\"$\n][^'\"\n]{0,200}|[^\s'\"$][^\s'\"]{0,200})"
)
_TYPED = re.compile(r"\bsend(?: --)? ['\"](?P<value>[^'\"\\\n]{1,200})\\r")
"""What `expect` types into a program."""
_STORES_SECRET = re.compile(r"\bsecrets?[ \t]{1,9}(?:set|put|create|add|update|import)\b")
"""A subcommand of any program that stores secrets: `gh secret set`, `az keyvault secret set`, `fly secrets set`."""
_LOGS_IN = re.compile(r"\blogin\b")
_NO_SECRET = re.compile(
    r"-{1,2}(?:[\w-]*-)?(?:name|names|scope|key|repo|repos|org|env|environment|app|namespace|user|region|profile|file|type"
    r"|format|group|project|subscription|output|visibility|[a-z])"
)
"""Options of such a subcommand that say where the secret is stored."""
_REFERENCES = ("$", "%s", "<", "********", "@", "-")


def mask_commands(text: str, hide: Callable[[str], str]) -> str:
    """Return *text* whose command lines have no secrets; *hide* returns the replacement of one."""
    spans = sorted({*_in_commands(text), *_in_forms(text)})
    parts: list[str] = []
    at = 0
    for begin, end in spans:
        if begin >= at:
            parts += text[at:begin], hide(text[begin:end])
            at = end
    return "".join([*parts, text[at:]]) if parts else text


def _in_forms(text: str) -> Iterator[Span]:
    for mark, pattern in (("--from-literal", _LITERAL), ("|", _PIPED), ("<<<", _REDIRECTED), ("\\r", _TYPED)):
        if mark in text:
            yield from (match.span("value") for match in pattern.finditer(text))
    for pattern, secrets in ((_STORES_SECRET, _stored), (_LOGS_IN, _logged_in)):
        at = 0
        while match := pattern.search(text, at):
            words, at = _words(text, match.end())
            yield from secrets(text, words)


def _stored(text: str, words: list[Span]) -> Iterator[Span]:
    """Yield the values of pairs and options of a subcommand that stores secrets."""
    option = ""
    for begin, end in words:
        name, sign, value = text[begin:end].partition("=")
        is_option = name.startswith("-")
        if sign and not (is_option and _NO_SECRET.fullmatch(name)):
            yield from _plain(text, end - len(value), end)
        elif option and not is_option and not _NO_SECRET.fullmatch(option):
            yield from _plain(text, begin, end)
        option = "" if sign or not is_option else name


def _logged_in(text: str, words: list[Span]) -> Iterator[Span]:
    """Yield the password of a login, which nearly every program names `-p`."""
    for (before, stop), (begin, end) in pairwise(words):
        if text[before:stop] == "-p":
            yield from _plain(text, begin, end)


def _in_commands(text: str) -> Iterator[Span]:
    at = 0
    while match := _START.search(text, at):
        at = match.end()
        words, at = _words(text, at)
        program = _PROGRAMS[match[0]]
        if not program.verbs or any(text[begin:end] in program.verbs for begin, end in words):
            yield from _secrets(text, words, program)


def _words(text: str, at: int) -> tuple[list[Span], int]:
    """Return where the words of a command are, and its end."""
    words: list[Span] = []
    limit = at + _LONGEST
    while at < limit and (match := _WORD.match(text, at, limit)):
        end = _COMMAND_END.search(match["word"]) if match["word"][0] not in "'\"" else None
        if end and end.start() == 0:
            break
        words.append((match.start("word"), match.start("word") + end.start() if end else match.end()))
        at = match.end()
        if end:
            break
    return words, at


def _secrets(text: str, words: list[Span], program: Program) -> Iterator[Span]:
    before, number = "", -_LONGEST
    for begin, end in words:
        word = text[begin:end]
        name, sign, value = word.partition("=")
        number = 0 if word in program.verbs else number + (not word.startswith("-"))
        if before in program.options or (program.after and number == program.after):
            yield from _plain(text, begin, end)
        elif before in program.pairs:
            yield from _login(text, begin, end, "=")
        elif before in program.logins or _is_bundle(before, program):
            yield from _login(text, begin, end, program.separators)
        elif sign and name in program.options:
            yield from _plain(text, end - len(value), end)
        elif sign and name in program.logins:
            yield from _login(text, end - len(value), end, program.separators)
        elif program.attached and word.startswith(program.attached) and not word.startswith("--"):
            yield from _plain(text, begin + len(program.attached), end)
        elif short := next((name for name in program.logins if len(name) == 2 and word.startswith(name)), ""):
            yield from _login(text, begin + len(short), end, program.separators)
        elif program.accounts and not word.startswith(("-", "/", "@", ".")):
            yield from _login(text, begin, end, "/")
        before = word


def _is_bundle(word: str, program: Program) -> bool:
    """Check for several short options whose last one takes a login: `-sSu`."""
    is_short = len(word) > 2 and word[0] == "-" and word[1:].isalpha()
    return is_short and f"-{word[-1]}" in program.logins


def _plain(text: str, begin: int, end: int) -> Iterator[Span]:
    if text[begin : begin + 1] in ("'", '"') and end - begin > 1:
        begin, end = begin + 1, end - 1
    if begin < end and not text.startswith(_REFERENCES, begin):
        yield begin, end


def _login(text: str, begin: int, end: int, separators: str) -> Iterator[Span]:
    found = next((at for at in range(begin, end) if text[at] in separators), end)
    stop = end - 1 if text.startswith(("'", '"'), begin) else end
    if "/" in separators and (host := text.find("@", found, stop)) > 0:
        stop = host
    yield from _plain(text, found + 1, stop)
