"""Which generated graph a scan number or a date means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import Connection, func, select

from scanner_dictionary.graph.versions import GraphOfScan, graph_versions
from scanner_dictionary.schema import tables as t
from scanner_model.errors import InputInvalid, NameUnknown

_SHOWN = 10
_NONE = "run `scanner dictionary dataflow` after each scan whose graph is to be kept"


def graph_at(conn: Connection, moment: str | int) -> tuple[GraphOfScan, str]:
    """Return the graph of *moment*, and a note where it is not the graph of the newest scan then, else empty.

    *moment* is a scan number, or a date or time (ISO 8601; UTC without an offset; a date is the end of that day). A
    scan number means the graph of this very scan; a date the newest graph of the scans that were finished then.
    Raises InputInvalid where it is neither, NameUnknown where no such scan or graph is known.
    """
    versions = graph_versions(conn)
    number = moment if isinstance(moment, int) else _number(moment)
    if number is not None:
        return _of_scan(conn, versions, number), ""
    return _of_date(conn, versions, str(moment))


def read_moment(text: str, where: str, *, end_of_day: bool = True, now: datetime | None = None) -> str:
    """Return *text*, a date or time, as ISO 8601 in UTC as scans have it; raises InputInvalid naming *where*.

    A date is the end of that day, or its start; so are `today`, `yesterday`, `last week` (seven days before *now*),
    `last month` (thirty), and `7d` or `7 days ago`. *now* is the clock's time where it is None.
    """
    try:
        day = _named_day(text, (now or datetime.now(UTC)).astimezone(UTC).date())
        at = datetime.fromisoformat(text) if day is None else datetime.combine(day, time.min)
        if day is not None or len(text) <= len("2026-01-31"):
            at = datetime.combine(at, time.max if end_of_day else time.min)
        at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        hint = "a scan number, a date (2026-01-31), a time (2026-01-31T12:00:00+01:00), `yesterday`, `last week` or 7d"
        raise InputInvalid(f"{text!r} is neither a scan number nor a date", where=where, hint=hint) from error
    return at.isoformat(timespec="milliseconds")


_LARGEST = 2**31 - 1
_DAYS = {"today": 0, "yesterday": 1, "last week": 7, "last month": 30}
_AGO = re.compile(r"(\d{1,4}) ?(d|days?|w|weeks?)(?: ago)?")
_WEEK = 7


def _named_day(text: str, today: date) -> date | None:
    """Return the day that a word such as `last week` or `7d` means; None for another text."""
    words = " ".join(text.lower().replace("-", " ").split())
    days, ago = _DAYS.get(words), _AGO.fullmatch(words)
    if ago:
        days = int(ago[1]) * (_WEEK if ago[2].startswith("w") else 1)
    return None if days is None else today - timedelta(days=days)


def _scan_number(moment: str | int, where: str) -> int | None:
    """Return the number of a scan; None for a date or time. Raises InputInvalid for a number that no scan can have."""
    number = moment if isinstance(moment, int) else _number(moment)
    if number is not None and not 0 < number <= _LARGEST:
        raise InputInvalid(f"{moment} is not a scan number", where=where, hint="they begin with 1")
    return number


def check_moment(moment: str | int, where: str) -> None:
    """Raise InputInvalid for what is neither a scan number nor a date or time, without a look at the dictionary."""
    if _scan_number(moment, where) is None:
        read_moment(str(moment), where)


def check_scan(conn: Connection, moment: str | int, where: str) -> None:
    """Raise NameUnknown if *moment* is the number of a scan that was not done yet; a date never is."""
    number = _scan_number(moment, where)
    newest = conn.scalar(select(func.max(t.scan.c.id))) or 0
    if number is not None and number > newest:
        raise NameUnknown(f"the dictionary knows no scan {number}", hint="`scanner changes --scans` lists them")


def scan_at(conn: Connection, moment: str | int, where: str, cluster: str | None = None) -> int:
    """Return the scan of *moment*: its number, or the newest that was finished at a date or time (`read_moment`).

    *cluster* is that of the scan of a date; where it is None, there must be one only. Raises InputInvalid where it is
    neither or several clusters were scanned, NameUnknown where no scan was finished then.
    """
    number = _scan_number(moment, where)
    if number is not None:
        return number
    at, scan = read_moment(str(moment), where), t.scan.c
    names = [cluster] if cluster else list(conn.scalars(select(t.cluster.c.name).order_by(t.cluster.c.name)))
    if len(names) > 1:
        raise InputInvalid("several clusters were scanned", where=where, hint=f"name one of {', '.join(names)}")
    newest = select(func.max(scan.id)).join(t.cluster, t.cluster.c.id == scan.cluster_id)
    found: int | None = conn.scalar(newest.where(scan.finished <= at, t.cluster.c.name.in_(names)))
    if found is None:
        raise NameUnknown(
            f"the dictionary knows no scan of {moment} or before", hint="`scanner changes --scans` lists them"
        )
    return found


def past_scan(conn: Connection, moment: str | int) -> tuple[int, str]:
    """Return the scan whose state of the dictionary is that of *moment*, and when it was finished.

    *moment* is the number of a scan of any cluster, or a date or time (`read_moment`), which means the newest scan
    until then. Raises InputInvalid where it is neither, NameUnknown with the first and the last scan for one before or
    after all of them.
    """
    scan = t.scan.c
    number = _scan_number(moment, "as of")
    at = None if number is not None else read_moment(str(moment), "as of")
    condition = scan.id == number if at is None else scan.finished <= at
    query = select(scan.id, scan.finished).where(condition).order_by(scan.id.desc()).limit(1)
    row = conn.execute(query).one_or_none()
    if row is None:
        what = f"the dictionary knows no scan {number}" if at is None else f"no scan was finished until {moment}"
        raise NameUnknown(what, hint=first_and_last(conn))
    return row.id, row.finished


def first_and_last(conn: Connection) -> str:
    """Return which scans are known, for a hint."""
    scan = t.scan.c
    ends = [
        conn.execute(select(scan.id, scan.finished).order_by(order).limit(1)).first()
        for order in (scan.id, scan.id.desc())
    ]
    if ends[0] is None or ends[1] is None:
        return "run `scanner scan` first"
    first, last = (f"{row.id} ({row.finished})" for row in ends if row)
    return f"the first scan is {first}, the newest is {last}; `scanner changes --scans` lists them"


def scan_before(conn: Connection, since: str | int, where: str, cluster: str) -> tuple[int, bool]:
    """Return the scan of *cluster* that changes *since* a scan number, date or time are counted from.

    That is the newest that was finished before, and True; else the oldest that is stored, and False. A date is its
    start. *cluster* must have been scanned.
    """
    scan = t.scan.c
    of_cluster = t.cluster.c.name == cluster
    number = _scan_number(since, where)
    before = (
        scan.id <= number if number is not None else scan.finished < read_moment(str(since), where, end_of_day=False)
    )
    joined = select(func.max(scan.id), func.min(scan.id)).join(t.cluster, t.cluster.c.id == scan.cluster_id)
    found: int | None = conn.execute(joined.where(of_cluster, before)).one()[0]
    oldest: int = conn.execute(joined.where(of_cluster)).one()[1]
    return (oldest, False) if found is None else (found, True)


def newest_scan_at(conn: Connection, moment: str) -> int | None:
    """Return the newest scan that was finished at *moment*, ISO 8601 in UTC; None where there was none."""
    newest: int | None = conn.scalar(select(func.max(t.scan.c.id)).where(t.scan.c.finished <= moment))
    return newest


def first_scan_after(conn: Connection, moment: str) -> int | None:
    """Return the oldest scan that was not finished at *moment*, ISO 8601 in UTC; None if absent.

    A clock that was wrong may give a later scan an earlier time: no scan before the one that is returned is later.
    """
    first: int | None = conn.scalar(select(func.min(t.scan.c.id)).where(t.scan.c.finished > moment))
    return first


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < len("20260131") else None


def _of_scan(conn: Connection, versions: Sequence[GraphOfScan], number: int) -> GraphOfScan:
    for version in versions:
        if version.scan == number:
            return version
    if conn.scalar(select(t.scan.c.id).where(t.scan.c.id == number)) is None:
        raise NameUnknown(f"the dictionary knows no scan {number}", hint=first_and_last(conn))
    raise NameUnknown(f"the graph of scan {number} is not known and cannot be rebuilt", hint=_known_scans(versions))


def _of_date(conn: Connection, versions: Sequence[GraphOfScan], text: str) -> tuple[GraphOfScan, str]:
    moment = read_moment(text, "as of")
    newest = newest_scan_at(conn, moment)
    if newest is None:
        raise NameUnknown(f"the dictionary knows no scan of {text} or before", hint=first_and_last(conn))
    earlier = [version for version in versions if version.scan <= newest]
    if not earlier:
        raise NameUnknown(
            f"no graph of {text} or before is known, and none can be rebuilt", hint=_known_scans(versions)
        )
    graph = earlier[-1]
    note = f"no graph was generated for scan {newest}, the newest then: this is the graph of scan {graph.scan}"
    return graph, note if graph.scan < newest else ""


def _known_scans(versions: Sequence[GraphOfScan]) -> str:
    if not versions:
        return _NONE
    numbers = [str(version.scan) for version in versions[-_SHOWN:]]
    more = "…, " if len(versions) > _SHOWN else ""
    return f"there are graphs of the scans {more}{', '.join(numbers)}; {_NONE}"
