"""Credentials of google-auth, an optional library: imported by `google_transport` only, when a token is needed."""

from __future__ import annotations

from typing import Any

import google.auth
from google.auth.exceptions import GoogleAuthError, TransportError
from google.auth.transport.requests import Request

__all__ = ["GoogleAuthError", "TransportError", "access_token", "default_credentials"]


def default_credentials(scope: str) -> Any:  # noqa: ANN401  one of google-auth's classes
    """Return Google's default credentials for *scope*; raises GoogleAuthError if they are missing."""
    return google.auth.default(scopes=[scope])[0]


def access_token(credentials: Any) -> str:  # noqa: ANN401  one of google-auth's classes
    """Return a token that is valid now; raises GoogleAuthError, and TransportError without a network."""
    if not credentials.valid:
        credentials.refresh(Request())
    return str(credentials.token)
