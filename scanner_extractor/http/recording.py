"""Record responses to files and replay them without network (layout: docs/capture.md)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
import stat
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from scanner_extractor.http.messages import AS_IS, Json, Request, Response, Transport
from scanner_model.documents.json_input import MOST_VALUES, TooLarge, has_repeated_members, load_json, load_text
from scanner_model.errors import (
    InputInvalid,
    NotCaptured,
    PayloadUnexpected,
    ScannerError,
    SourceRefused,
    SourceUnreachable,
)
from scanner_model.names import SourceId
from scanner_model.private_files import atomic_path, make_directory
from scanner_model.redaction import mask_json, mask_statement, mask_text, mask_url

FORMAT = 1
MANIFEST = "capture.json"
LARGEST = 256 * 1024 * 1024
"""Maximum bytes of one file of a capture; larger responses need `max_bytes`."""

_HEADERS = ("content-type", "etag", "retry-after", "x-registry-artifacttype")
_FAILURES: Mapping[str, type[ScannerError]] = {
    kind.__name__: kind for kind in (SourceUnreachable, SourceRefused, PayloadUnexpected)
}
_Key = tuple[str, str, str]

_REQUEST = re.compile(r'\s*\{\s*"request"\s*:\s*')
_OPENING = 16_384
_DECODER = json.JSONDecoder()


class Recorder:
    """Writes one capture; safe to call from many threads. Raises InputInvalid where a file cannot be written."""

    def __init__(self, directory: Path, *, cluster: str = "", tool: str = "") -> None:
        if (directory / MANIFEST).exists():
            raise InputInvalid("already contains a capture", where=str(directory), hint="name a new directory")
        self._directory = directory
        self._lock = threading.Lock()
        self._last: dict[tuple[str, _Key], tuple[int, bytes]] = {}
        _write(directory / MANIFEST, {"format": FORMAT, "cluster": cluster, "tool": tool})

    def recording(self, live: Transport) -> Transport:
        """Return a transport that records the responses and failures of *live*."""

        def send(request: Request) -> Response:
            try:
                answer = live(request)
            except (SourceUnreachable, SourceRefused, PayloadUnexpected) as error:
                self._record(request, {"failure": _failure(error)})
                raise
            self._record(request, _answer(answer, as_is=request.accept == AS_IS and answer.status < 400))
            return answer

        return send

    def record_document(self, source: SourceId, name: str, document: Json) -> None:
        """Record a document of a source without HTTP, under a *name* that is unique in that source."""
        file = self._directory / directory_name(source) / f"document-{slug(name)}-{_hash(name)}.json"
        _write(file, {"document": name, "value": mask_json(document)})

    def _record(self, request: Request, outcome: Json) -> None:
        key = _key(request)
        content = {"request": dict(zip(("method", "url", "body"), key, strict=True)), **outcome}
        text = _text(content)
        with self._lock:
            number, last = self._last.get((request.source, key), (0, b""))
            if text == last:
                return
            self._last[request.source, key] = (number + 1, text)
        stem = f"{slug(request.method + ' ' + _path(key[1]))}-{_hash(*key)}"
        _write(self._directory / directory_name(request.source) / f"{stem}-{number + 1}.json", content)


class Replay:
    """Replays a capture; thread-safe.

    Raises InputInvalid for a directory that holds no capture, one of a newer format, a damaged file, or anything but
    files and directories: a capture may come from strangers, and a link or a pipe in it leads elsewhere.
    """

    def __init__(self, directory: Path) -> None:
        _check_plain(directory)
        manifest = _read(directory / MANIFEST)
        if manifest.get("format") != FORMAT:
            raise InputInvalid(
                f"is a capture of format {manifest.get('format')!r}, and this program reads format {FORMAT}",
                where=str(directory / MANIFEST),
                hint="replay it with the program that recorded it",
            )
        self._directory = directory
        self._lock = threading.Lock()
        self._files: dict[str, Mapping[_Key, list[Path]]] = {}
        self._request_counts: dict[tuple[str, _Key], int] = defaultdict(int)

    def __call__(self, request: Request) -> Response:
        """Return the recorded answer, the next one each time and then the last again.

        Raises the recorded failure, and SourceUnreachable where the capture has no such request.
        """
        key = _key(request)
        with self._lock:
            files = self._indexed(request.source).get(key, [])
            turn = self._request_counts[request.source, key]
            self._request_counts[request.source, key] += 1
        if not files:
            raise self._missing(request.source, f"{key[0]} {key[1]}")
        return _replayed(files[min(turn, len(files) - 1)], f"{key[0]} {key[1]}")

    def document(self, source: SourceId, name: str) -> Json:
        """Return a document recorded by `record_document`; raises SourceUnreachable if it is missing."""
        for file in sorted(self._source_directory(source).glob("document-*.json")):
            content = _read(file)
            if content.get("document") == name:
                return content.get("value")
        raise self._missing(source, f"document {name}")

    def _source_directory(self, source: SourceId) -> Path:
        """Return the directory of a source; captures by earlier versions have no hash in its name."""
        directory = self._directory / directory_name(source)
        return directory if directory.is_dir() else self._directory / slug(source)

    def _indexed(self, source: SourceId) -> Mapping[_Key, list[Path]]:
        if source not in self._files:
            files: dict[_Key, list[Path]] = defaultdict(list)
            for file in sorted(self._source_directory(source).glob("*.json"), key=_order):
                for key in _keys(_opening(file) or _read(file)):
                    files[key].append(file)
            self._files[source] = files
        return self._files[source]

    def _missing(self, source: SourceId, what: str) -> NotCaptured:
        return NotCaptured(
            f"{what} is not in the capture",
            where=str(self._source_directory(source)),
            hint="record it again with the cluster.json that you replay it with",
        )


def slug(name: str) -> str:
    """Return *name* as a readable file name: lower case, at most 60 letters of any script, digits, dots and dashes."""
    return re.sub(r"[^\w.]+", "-", name.lower()).strip("-.")[:60].rstrip("-.") or "root"


def directory_name(name: str) -> str:
    """Return *name* as the name of a directory that no other name shares: with a hash where the slug differs."""
    short = slug(name)
    return short if short == name else f"{short}-{_hash(name)}"


def recorded_cluster(directory: Path, cluster: str) -> Path:
    """Return where *directory* holds the capture of one of several clusters; raises InputInvalid for a link."""
    folder = directory / directory_name(cluster)
    folder = folder if folder.is_dir() else directory / slug(cluster)
    if folder.is_symlink():
        raise InputInvalid("is a link", where=str(folder), hint="put the directory itself here")
    return folder


def _key(request: Request) -> _Key:
    return request.method, mask_url(request.url), mask_statement(request.body)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _path(url: str) -> str:
    return url.partition("://")[2].partition("/")[2]


def _order(file: Path) -> tuple[str, int]:
    stem, _, number = file.stem.rpartition("-")
    return (stem, int(number)) if number.isdecimal() else (file.stem, 0)


def _opening(file: Path) -> Json:
    """Read the request alone where it stands first, as in every file of ours; None: all of *file* must be read.

    A capture of a large registry has gigabytes of answers, which are read on demand.
    """
    try:
        with _opened(file) as opened:
            text = opened.read(_OPENING).decode("utf-8", "replace")
        start = _REQUEST.match(text)
        return {"request": _DECODER.raw_decode(text, start.end())[0]} if start else None
    except (OSError, ValueError, RecursionError):
        return None


def _keys(content: Json) -> Iterator[_Key]:
    match content.get("request"):
        case {"method": str(method), "url": str(url)} as request:
            yield method, url, str(request.get("body", ""))
        case _:
            return


def _failure(error: ScannerError) -> Json:
    return {"kind": type(error).__name__, "what": mask_text(error.what), "hint": mask_text(error.hint)}


def _answer(answer: Response, *, as_is: bool) -> Json:
    headers = {name: mask_text(answer.headers[name]) for name in _HEADERS if name in answer.headers}
    return {"status": answer.status, "headers": headers, **_body(answer.body, as_is)}


def _body(body: bytes, as_is: bool) -> Json:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode("ascii")}
    return {"body": text if as_is else _masked(text)}


def _masked(text: str) -> str:
    """Return a body without its secrets; the same text where it holds none, byte for byte.

    Of two members of one name only the last is written, because only that is masked.
    """
    try:
        value = load_text(text)
        masked = mask_json(value)
    except ValueError:
        return mask_text(text)
    return text if masked == value and not has_repeated_members(text) else json.dumps(masked)


def _replayed(file: Path, where: str) -> Response:
    content = _read(file)
    match content:
        case {"failure": {"kind": str(kind), "what": str(what)} as failure}:
            raise _FAILURES.get(kind, SourceUnreachable)(what, where=where, hint=str(failure.get("hint", "")))
        case {"status": int(), "headers": dict(headers)} if not all(
            isinstance(value, str) for value in headers.values()
        ):
            raise _damaged(file, "a header is not text")
        case {"status": int(status), "headers": dict(headers), "body": str(text)}:
            return Response(status=status, headers=headers, body=text.encode("utf-8", "surrogatepass"))
        case {"status": int(status), "headers": dict(headers), "base64": str(text)}:
            return Response(status=status, headers=headers, body=_bytes(text, file))
        case _:
            raise _damaged(file, "it contains neither a response nor a failure")


def _bytes(text: str, file: Path) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise _damaged(file, "its body is not base64") from error


def _read(file: Path) -> dict[str, Json]:
    try:
        with _opened(file) as opened:
            text = opened.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise _damaged(file, f"it is larger than {LARGEST} bytes")
        content = load_json(text, most=2 * MOST_VALUES).value
    except FileNotFoundError as error:
        raise InputInvalid("no capture found", where=str(file), hint="name the directory given to --capture") from error
    except OSError as error:
        raise InputInvalid(f"cannot be read: {error.strerror}", where=str(file)) from error
    except TooLarge as error:
        raise _damaged(file, str(error)) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(file, "it is not JSON") from error
    if not isinstance(content, dict):
        raise _damaged(file, "it is not a JSON object")
    return content


def _opened(file: Path) -> BinaryIO:
    """Open a regular file; raises OSError for a link, and for a pipe or a device without waiting for it."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(None, "it is not a regular file")
    return os.fdopen(descriptor, "rb")


def _check_plain(directory: Path) -> None:
    """Raise InputInvalid where anything in *directory* is neither a regular file nor a directory."""
    waiting = [os.fspath(directory)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif not entry.is_file(follow_symlinks=False):
                        what = "the capture has entries other than files and directories: a link, a pipe or a device"
                        raise InputInvalid(what, where=entry.path, hint="take it out, or record it again")
        except FileNotFoundError:
            continue  # a missing capture is reported by its reader
        except OSError as error:
            raise InputInvalid(f"cannot be read: {error.strerror}", where=str(directory)) from error


def _damaged(file: Path, why: str) -> InputInvalid:
    return InputInvalid(f"the capture is damaged: {why}", where=str(file), hint="record it again")


def _text(content: Json) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _write(file: Path, content: Json) -> None:
    """Write *file* whole or not at all."""
    try:
        make_directory(file.parent)
        with atomic_path(file) as part:
            part.write_bytes(_text(content))
    except OSError as error:
        raise InputInvalid(
            f"cannot be written: {error.strerror}", where=str(file), hint="name a directory that you may write"
        ) from error
