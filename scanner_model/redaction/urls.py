"""Masking of URLs: user and password, secret parameters, secret paths of webhooks and bots."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

from scanner_model.redaction.names import NO_EXTRA, ExtraNames, is_secret_name
from scanner_model.redaction.values import MASK

OnSecret = Callable[[str], None]
"""Callback that receives each masked secret."""

_URL = re.compile(r"(?<![\w+.-])(?P<scheme>[\w+.-]++://)(?P<rest>[^\s'\"<>]++)")
_CONTAINER = re.compile(r"(?:abfss?|wasbs?)://[\w$-]{1,63}@[^:@]*$")
"""In Azure storage URLs the part before the @ is a container."""
_PORT = re.compile(r":\d{1,5}$|\]$")
_QUERY = re.compile(r"(?P<key>[?&;](?P<name>[^=&;#?\s'\"]+)=)(?P<value>\{(?:[^}]|\}\}){0,300}+\}|[^&;#\s'\"]+)")
_ORACLE_LOGIN = re.compile(r"(?P<start>\bjdbc:oracle:\w{1,20}:)(?P<login>[^@/\s]{1,200}/[^@\s]{0,200})@")
_SERVICES = re.compile(
    r"(?P<key>//(?:[\w-]{1,60}\.)?(?:hooks\.slack\.com/\w{1,30}/|api\.telegram\.org/(?:file/)?bot"
    r"|discord(?:app)?\.com/api/webhooks/|webhook\.office\.com/|outlook\.office(?:365)?\.com/webhook/"
    r"|hooks\.zapier\.com/|maker\.ifttt\.com/|hook\.\w{1,10}\.make\.com/|open\.(?:feishu|larksuite)\.\w{2,3}/"
    r"|oapi\.dingtalk\.com/|qyapi\.weixin\.qq\.com/|events\.pagerduty\.com/integration/))(?P<value>[^\s'\"<>]+)"
)
_KEY = re.compile(r"(?P<key>[?&]key=)(?=[^\s&#'\"<>]{0,100}\d)(?P<value>[^\s&#'\"<>]{8,})")
_LONGEST_STEP = 8
"""Minimum length of a path step that may be a secret."""
_HOOK = re.compile(
    r"(?P<key>/(?:in)?(?:web)?hooks?(?:/v\d)?/|/bot(?=\d+:))"
    r"(?=(?:[^\s'\"<>?#/]{0,100}/){0,4}(?=[^\s'\"<>?#/]{0,60}[\dA-Z])[^\s'\"<>?#/]{8})(?P<value>[^\s'\"<>?#]+)"
)


def mask_url(url: str, extra: ExtraNames = NO_EXTRA) -> str:
    """Return *url* without user and password, and with its secret query parameters hidden."""
    return _QUERY.sub(lambda match: _parameter(match, extra), mask_logins(url)) if "=" in url else mask_logins(url)


def mask_logins(text: str, on_secret: OnSecret | None = None) -> str:
    """Remove user and password from every URL in *text*; a password may contain unencoded `@` and `/`."""
    if "@" not in text:
        return text
    text = _ORACLE_LOGIN.sub(lambda match: _without_login(match["start"], match["login"], "/", on_secret) + "@", text)
    return _URL.sub(lambda match: _url(match, on_secret), text) if "://" in text else text


def mask_hooks(text: str, on_secret: OnSecret | None = None) -> str:
    """Hide the part of a webhook's or a bot's address that whoever knows it may post to."""
    if "://" not in text:
        return text
    for pattern in (_SERVICES, _HOOK, _KEY):
        text = pattern.sub(lambda match: _hook(match, on_secret), text)
    return text


def _hook(match: re.Match[str], on_secret: OnSecret | None) -> str:
    report_path_steps(match["value"], on_secret)
    return match["key"] + MASK


def report_path_steps(path: str, on_secret: OnSecret | None) -> None:
    """Report the steps of a secret path that are not words: `services` is in other addresses, too."""
    for part in re.split(r"[/:?&=]", path) if on_secret else ():
        if on_secret and len(part) >= _LONGEST_STEP and not part.isalpha():
            on_secret(part)


def mask_path(url: str, on_secret: OnSecret | None = None) -> str:
    """Return only scheme and host of *url*, the rest hidden; other texts are hidden completely."""
    report_path_steps(url.partition("://")[2].partition("/")[2], on_secret)
    scheme, mark, rest = mask_logins(url).partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host}/{MASK}" if mark and slash and path else (url if mark else MASK)


def _parameter(match: re.Match[str], extra: ExtraNames) -> str:
    return match["key"] + (MASK if is_secret_name(match["name"], extra) else match["value"])


def _url(match: re.Match[str], on_secret: OnSecret | None) -> str:
    scheme, rest = match["scheme"], match["rest"]
    while (end := _login_end(scheme, rest)) > 0:
        _report_password(rest[: end - 1], ":", on_secret)
        rest = rest[end:]
    return scheme + rest


def _login_end(scheme: str, rest: str) -> int:
    """Return where the host of a URL begins, after the login; 0 where there is no login."""
    if "@" not in rest or _CONTAINER.match(scheme + re.split(r"[/?#]", rest, maxsplit=1)[0]):
        return 0
    authority = re.split(r"[/?#;]", rest, maxsplit=1)[0]
    before_query = re.split(r"[?#;]", rest, maxsplit=1)[0]
    if "@" in authority:
        return (before_query if ":" in authority.partition("@")[0] else authority).rfind("@") + 1
    if ":" in authority and not _PORT.search(authority):
        return rest.rfind("@") + 1
    return 0


def _without_login(start: str, login: str, mark: str, on_secret: OnSecret | None) -> str:
    _report_password(login, mark, on_secret)
    return start


def _report_password(login: str, mark: str, on_secret: OnSecret | None) -> None:
    _, separator, password = login.partition(mark)
    if on_secret and separator:
        for secret in (password, unquote(password)):
            on_secret(secret)
