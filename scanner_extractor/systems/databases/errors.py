"""Errors of databases and their drivers as errors of a source, without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from scanner_model.errors import InputInvalid, PayloadUnexpected, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.redaction import MASK, mask_text

_REFUSED = re.compile(
    r"(?i)denied|authentication|password|permission|login failed|not allowed|pg_hba|ORA-01017|ORA-01045|ORA-28000"
)
_EXTRAS = {"psycopg": "kafka-lineage-scanner[postgres]", "pymysql": "kafka-lineage-scanner[mysql]"}
_PACKAGES = {
    "bigquery": "sqlalchemy-bigquery",
    "databricks": "databricks-sqlalchemy",
    "duckdb": "duckdb-engine",
    "redshift": "sqlalchemy-redshift",
    "snowflake": "snowflake-sqlalchemy",
    "trino": "trino[sqlalchemy]",
}
"""The package of a dialect that SQLAlchemy itself does not have."""
_ADDRESS = "check host, port and database of its `url`"
_STATEMENT = (
    "it answers, and refuses a statement that reads its catalog: {package} may not know this version of the database"
)
_RIGHTS = "check user, password and rights: see docs/sources/databases.md"


def reason_of(error: BaseException) -> str:
    """Return the first line of an error without secrets and without the SQL text that caused it."""
    original = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    lines = [line for line in str(original).strip().splitlines() if line.strip()]
    return mask_text(lines[0]) if lines else type(original).__name__


def cleartext_refused(parameter: str) -> ScannerError:
    """Return the error of a server that requests the password itself; *parameter* of the URL turns on TLS."""
    what = "the server requests the password in clear text, and the connection is not encrypted: it was not sent"
    return SourceRefused(what, hint=f"use TLS: add {parameter} to its `url`")


@contextmanager
def source_errors(url: URL, *driver_errors: type[Exception]) -> Iterator[None]:
    """Convert what SQLAlchemy and the driver of *url* raise to errors of a source.

    *driver_errors* are those of a driver that is used without SQLAlchemy.
    """
    try:
        yield
    except driver_errors as error:
        raise _source_error(error, url) from error
    except (DBAPIError, UnicodeError) as error:
        raise _source_error(error, url) from error
    except (NoSuchModuleError, ImportError) as error:
        dialect, _, driver = url.drivername.partition("+")
        package = _EXTRAS.get(driver) or _PACKAGES.get(dialect)
        install = f"pip install '{package}'" if package else f"install the package of the driver {driver or dialect}"
        raise InputInvalid(f"no driver {url.drivername!r} is installed", hint=install) from error
    except SQLAlchemyError as error:
        raise PayloadUnexpected(_hidden(reason_of(error), url), hint=_ADDRESS) from error


def _source_error(error: Exception, url: URL) -> ScannerError:
    cause = (getattr(error, "orig", None) or error).__cause__
    if isinstance(cause, ScannerError):
        return cause
    reason = _hidden(reason_of(error), url)
    if "cleartext password" in reason:
        return cleartext_refused("?sslmode=verify-full")
    if _REFUSED.search(reason):
        return SourceRefused(reason, hint=_RIGHTS)
    if isinstance(error, DBAPIError) and error.statement and not error.connection_invalidated:
        package = _PACKAGES.get(url.get_backend_name(), "its dialect's package")
        return SourceUnreachable(reason, hint=_STATEMENT.format(package=package))
    return SourceUnreachable(reason, hint=_ADDRESS)


def _hidden(text: str, url: URL) -> str:
    password = url.password or ""
    return text.replace(password, MASK) if password else text
