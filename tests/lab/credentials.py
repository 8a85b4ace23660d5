"""Makes the lab's secrets: a CA, the brokers' certificate, and passwords; new ones with every installation."""

from __future__ import annotations

import secrets
import subprocess
from pathlib import Path

from places import STATE

USER, LIMITED = "scanner", "limited"
_NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"


def password(name: str) -> str:
    """Return the password of that *name*, made at the first call."""
    file = _directory() / name
    if not file.is_file():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(18), "utf-8")
    return file.read_text("utf-8")


def authority() -> Path:
    """Return the certificate of the lab's own CA as PEM."""
    certificate, key = _directory() / "ca.pem", _directory() / "ca.key"
    if not certificate.is_file():
        _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=scanner lab CA",
                 "-keyout", str(key), "-out", str(certificate))  # fmt: skip
    return certificate


def broker_keys() -> Path:
    """Return the brokers' key and certificate chain in one PEM file, as `ssl.keystore.type=PEM` takes them."""
    store = _directory() / "broker.pem"
    if not store.is_file():
        ca, base = authority(), _directory()
        key, request, certificate, names = (base / f"broker.{end}" for end in ("key", "csr", "crt", "ext"))
        names.write_text(_NAMES, "utf-8")
        _openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", str(key),
                 "-out", str(request))  # fmt: skip
        _openssl("x509", "-req", "-days", "30", "-in", str(request), "-CA", str(ca), "-CAkey", str(base / "ca.key"),
                 "-CAcreateserial", "-extfile", str(names), "-out", str(certificate))  # fmt: skip
        store.touch(mode=0o600)
        store.write_text(key.read_text() + certificate.read_text() + ca.read_text(), "utf-8")
    return store


def _directory() -> Path:
    directory = STATE / "secrets"
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    return directory


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
