"""Opening a dictionary: made, migrated, refused; at rest one plain file."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from subprocess import PIPE

import pytest
from sqlalchemy import select, text, true
from waiting import PATIENCE

from scanner_dictionary.engine.open import REVISION, VERSION_TABLE, from_anywhere, open_dictionary, resolve_url, writing
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import DictionaryUnusable, InputInvalid

AS_NOBODY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody without rights")


@pytest.mark.parametrize(
    ("form", "name"), [("{}", "a b#c?d%20.db"), ("sqlite:///{}", "d.db"), ("sqlite+pysqlite:///{}", "d")]
)
def test_file_name_and_url_make_the_same_dictionary(form, name, tmp_path) -> None:
    """People write either; a file's name may hold what means something in a URL."""
    open_dictionary(form.format(tmp_path / name)).dispose()

    assert _names(tmp_path) == [name]


def test_relative_file_is_looked_for_from_where_people_are(tmp_path, monkeypatch) -> None:
    """`sqlite:///dictionary.db` is the default of the command line."""
    monkeypatch.chdir(tmp_path)
    open_dictionary("sqlite:///dictionary.db")

    assert Path("dictionary.db").is_file()


def test_statement_of_one_file_is_not_compiled_again_for_another(tmp_path, caplog) -> None:
    """A program that opens many small dictionaries, as `check-change` does, would compile more than it runs."""
    with caplog.at_level("INFO", "sqlalchemy.engine"):
        for name, wanted in (("a.db", 1), ("b.db", 2)):
            with open_dictionary(str(tmp_path / name)).connect() as conn:
                conn.execute(select(t.cluster.c.name).where(t.cluster.c.id == wanted)).all()

    assert [line.partition(" ")[0] for line in caplog.messages if line.endswith(("(1,)", "(2,)"))][-1] == "[cached"


def test_question_never_makes_a_dictionary(tmp_path) -> None:
    """A mistyped name must be an error, not an empty answer."""
    with pytest.raises(DictionaryUnusable, match="does not exist") as caught:
        open_dictionary(str(tmp_path / "none.db"), create=False)

    assert "scanner scan" in caught.value.hint
    assert not _names(tmp_path)


def test_empty_file_is_no_dictionary_for_a_question_and_a_new_one_for_a_scan(tmp_path) -> None:
    """SQLite takes an empty file for an empty database."""
    file = tmp_path / "empty.db"
    file.touch()
    with pytest.raises(DictionaryUnusable, match="does not exist"):
        open_dictionary(str(file), create=False)

    assert open_dictionary(str(file)).connect().execute(text("SELECT count(*) FROM scan")).scalar() == 0


def test_directory_that_is_missing_is_reported(tmp_path) -> None:
    """SQLite itself would only say that it cannot open the file."""
    with pytest.raises(DictionaryUnusable, match="directory does not exist") as caught:
        open_dictionary(str(tmp_path / "no" / "such" / "d.db"))

    assert "mkdir -p" in caught.value.hint


def test_directory_is_no_dictionary(tmp_path) -> None:
    """A mounted volume where a file was meant is a common mistake in containers."""
    with pytest.raises(DictionaryUnusable, match="is a directory"):
        open_dictionary(str(tmp_path))


@pytest.mark.parametrize("ending", ["", "-journal", "-wal", "-shm"])
def test_a_pipe_is_not_opened(ending: str, tmp_path) -> None:
    """To open it waits for a writer, which held every command for good."""
    open_dictionary(str(tmp_path / "d.db")).dispose()
    (tmp_path / f"d.db{ending}").unlink(missing_ok=True)
    os.mkfifo(tmp_path / f"d.db{ending}")

    with pytest.raises(DictionaryUnusable, match="is a pipe, socket or device"):
        open_dictionary(str(tmp_path / "d.db"))


def test_path_that_is_too_long_for_sqlite_is_reported_with_its_limit(tmp_path) -> None:
    """SQLite would only say that it cannot open the file; the longest path that is allowed works, with its journals."""
    directory = tmp_path / "/".join(["n" * 100] * 3)
    directory.mkdir(parents=True)
    longest = directory / ("d" * (504 - len(str(directory)) - 1))
    open_dictionary(str(longest)).dispose()
    with pytest.raises(DictionaryUnusable, match="has 505 bytes, and SQLite takes 504"):
        open_dictionary(f"{longest}d")

    assert _names(directory) == [longest.name]


@pytest.mark.parametrize("create", [True, False])
def test_random_bytes_are_refused_and_left_alone(create, tmp_path) -> None:
    """A wrong file name must not cost that file."""
    file = tmp_path / "photo.jpg"
    file.write_bytes(bytes(range(256)) * 64)
    with pytest.raises(DictionaryUnusable, match="is not a dictionary") as caught:
        open_dictionary(str(file), create=create)

    assert caught.value.where == str(file)
    assert file.read_bytes() == bytes(range(256)) * 64


@pytest.mark.parametrize(
    "change", ["DROP TABLE topic", "ALTER TABLE topic RENAME COLUMN name TO called", "ALTER TABLE scan RENAME TO scans"]
)
def test_dictionary_of_another_version_says_what_to_do(change, tmp_path) -> None:
    """A table or column that came later is missing: the scan is repeated."""
    file = tmp_path / "d.db"
    open_dictionary(str(file)).dispose()
    with sqlite3.connect(file) as conn:
        for (view,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
            conn.execute(f'DROP VIEW "{view}"')
        conn.execute(change)
    engine = open_dictionary(str(file), create=False)
    with engine.connect() as conn, pytest.raises(DictionaryUnusable, match="another version wrote it") as caught:
        conn.execute(select(t.topic.c.name).join(t.scan, true()))

    assert "scanner scan" in caught.value.hint


def test_database_of_another_program_is_refused_and_left_alone(tmp_path) -> None:
    """A browser's history is a SQLite file, too."""
    file = tmp_path / "places.sqlite"
    with sqlite3.connect(file) as conn:
        conn.execute("CREATE TABLE moz_places (id INTEGER)")
    with pytest.raises(DictionaryUnusable, match="something else's"):
        open_dictionary(str(file))

    assert sqlite3.connect(file).execute("SELECT name FROM sqlite_master").fetchall() == [("moz_places",)]


def test_newer_dictionary_is_refused_with_both_revisions(tmp_path) -> None:
    """An older program would write rows that the newer one cannot trust."""
    file = tmp_path / "d.db"
    with open_dictionary(str(file)).begin() as conn:
        conn.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))

    with pytest.raises(DictionaryUnusable, match=f"9999.*{REVISION}"):
        open_dictionary(str(file))


def test_damaged_dictionary_is_reported_when_it_is_read(tmp_path, sample, at) -> None:
    """Half a copy, a bad disk: the message must say so, wherever the damage shows first."""
    file = tmp_path / "d.db"
    write_scan(open_dictionary(str(file)), sample.orders(), started=at, finished=at)
    content = bytearray(file.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    file.write_bytes(content)

    with pytest.raises(DictionaryUnusable, match="damaged") as caught, open_dictionary(str(file)).connect() as conn:
        list(conn.execute(t.topic.select()))
    assert caught.value.where == str(file)


def test_dictionary_in_use_is_reported_after_the_wait(tmp_path, sample, at) -> None:
    """Two scans at once: the second waits, then says why it gave up."""
    file = tmp_path / "d.db"
    open_dictionary(str(file))
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    engine = open_dictionary(str(file), patience=0.05)

    with pytest.raises(DictionaryUnusable, match="in use by another program"):
        write_scan(engine, sample.orders(), started=at, finished=at)


@pytest.mark.process
def test_a_second_scan_waits_for_the_first_reports_it_and_is_stored(tmp_path, sample, at) -> None:
    """What was read must not be thrown away because another scan is being stored."""
    file = tmp_path / "d.db"
    messages: Queue[str] = Queue()
    engine = open_dictionary(str(file), patience=60, notify=messages.put)
    program = (
        "import sys; from scanner_dictionary.engine.open import open_dictionary, writing\n"
        "with writing(open_dictionary(sys.argv[1])):\n"
        "    print('writing', flush=True); sys.stdin.read()\n"
    )
    with (
        subprocess.Popen([sys.executable, "-c", program, file], stdin=PIPE, stdout=PIPE, text=True) as first,
        ThreadPoolExecutor(1) as threads,
    ):
        assert first.stdout.readline() == "writing\n"
        second = threads.submit(write_scan, engine, sample.orders(), started=at, finished=at)
        message = messages.get(timeout=PATIENCE)
        with open_dictionary(str(file), create=False).connect() as reader:  # which is not kept waiting
            assert reader.execute(text("SELECT count(*) FROM scan")).scalar() == 0
        assert not second.done()
        first.stdin.close()

        assert second.result(timeout=PATIENCE).scan_id == 1
    assert str(file) in message
    assert messages.empty()
    if Path("/proc/locks").exists():
        assert f"process {first.pid} " in message
    assert _names(tmp_path) == ["d.db"]


def test_a_writer_that_waits_keeps_readers_at_the_last_scan_when_it_writes(tmp_path) -> None:
    """Who wrote before it without write-ahead mode must not keep it from that mode."""
    file = tmp_path / "d.db"
    announced = threading.Event()
    engine = open_dictionary(str(file), patience=60, notify=lambda _: announced.set())
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")

    def mode() -> str:
        with writing(engine) as conn:
            return conn.exec_driver_sql("PRAGMA journal_mode").scalar()

    with ThreadPoolExecutor(1) as threads:
        result = threads.submit(mode)
        assert announced.wait(30)
        other.execute("ROLLBACK")
        other.close()

        assert result.result(timeout=PATIENCE) == "wal"


def test_full_disk_leaves_the_last_scan(tmp_path, sample, at, table_rows) -> None:
    """SQLite reports a database that may not grow just as a disk that is full."""
    engine = open_dictionary(str(tmp_path / "d.db"))
    write_scan(engine, sample.orders(), started=at, finished=at)
    before = table_rows(engine)
    wide = sample.scan(definitions=(sample.definition(*(f"field_{i}" for i in range(50_000))),))
    with pytest.raises(DictionaryUnusable, match="disk is full"), writing(engine) as conn:
        _fill(conn, wide)

    assert table_rows(engine) == before


def test_dictionary_is_one_plain_file_at_rest(dictionary, tmp_path, store, sample) -> None:
    """People copy it, mail it, mount it read-only."""
    store(sample.orders())

    assert _names(tmp_path) == ["dictionary.db"]
    assert sqlite3.connect(tmp_path / "dictionary.db").execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_reader_sees_the_last_scan_until_the_next_commits(dictionary, store, sample) -> None:
    """A question asked during a scan must be answered, from the scan before."""
    store(sample.orders())
    with writing(dictionary) as conn:
        conn.execute(t.topic.delete().where(t.topic.c.id < 0))
        conn.execute(t.change_log.delete())
        with dictionary.connect() as reader:
            count = reader.execute(text("SELECT count(*) FROM change_log")).scalar()

    assert count == 16


@AS_NOBODY
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_dictionary_that_may_only_be_read_answers_questions(mode, sample, at) -> None:
    """A read-only mount serves readers, even where a scan that was killed left the file in write-ahead mode."""
    with _shared_directory() as directory:
        file = directory / "d.db"
        write_scan(open_dictionary(str(file)), sample.orders(), started=at, finished=at)
        sqlite3.connect(file).execute(f"PRAGMA journal_mode = {mode}")
        file.chmod(0o444)
        directory.chmod(0o555)
        with _as_nobody(), open_dictionary(str(file), create=False).connect() as conn:
            assert conn.execute(text("SELECT count(*) FROM topic")).scalar() == 1


@AS_NOBODY
def test_dictionary_that_may_only_be_read_refuses_a_scan(sample, at) -> None:
    """The hint names the rights to change."""
    with _shared_directory() as directory:
        file = directory / "d.db"
        open_dictionary(str(file))
        file.chmod(0o444)
        directory.chmod(0o555)
        with _as_nobody(), pytest.raises(DictionaryUnusable) as caught:
            write_scan(open_dictionary(str(file)), sample.orders(), started=at, finished=at)

    assert "cannot be written" in caught.value.what
    assert "permission" in caught.value.hint


@pytest.mark.process
def test_opening_what_is_current_imports_no_alembic(tmp_path) -> None:
    """Every command opens the dictionary; only the first time must it migrate."""
    file = str(tmp_path / "d.db")
    open_dictionary(file)
    program = (
        "import sys; from scanner_dictionary.engine.open import open_dictionary; "
        f"open_dictionary({file!r}); sys.exit('alembic' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("jdbc:h2:./dictionary", "export --format h2"),
        ("h2:./dictionary", "export --format h2"),
        ("dictionary.mv.db", "export --format h2"),
        ("mysql://u:hidden-word@h/d", "postgresql://"),
        ("postgresql://u:hidden-word@h:port/d", "postgresql://"),
        ("sqlite://", "sqlite:///dictionary.db"),
        ("sqlite://host/file", "sqlite:///dictionary.db"),
        ("", "sqlite:///file"),
        ("sqlite:///d.db?mode=ro", "without sqlite:///"),
    ],
)
def test_place_where_no_dictionary_can_be_states_which_can(url, hint) -> None:
    """The hint is the form to write; the password of a URL that cannot be read is not repeated."""
    with pytest.raises(InputInvalid) as caught:
        resolve_url(url)

    assert hint in caught.value.hint
    assert "hidden-word" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_url_uses_the_driver_that_the_extra_installs(scheme) -> None:
    """People copy URLs from elsewhere; the driver's name is ours to know, the password is not shown."""
    url = resolve_url(f"{scheme}://u:hidden-word@h/d?sslpassword=hidden-word")

    assert url.url.drivername == "postgresql+psycopg"
    assert url.shown == "postgresql://u:***@h/d"


def test_place_is_the_same_from_another_directory(tmp_path, monkeypatch) -> None:
    """Spark's workers, and servers, run elsewhere."""
    monkeypatch.chdir(tmp_path)

    assert from_anywhere("d.db") == from_anywhere("sqlite:///d.db") == str(tmp_path / "d.db")
    assert from_anywhere("postgresql://u:p@h/d") == "postgresql://u:p@h/d"


def test_missing_driver_names_the_extra() -> None:
    """SQLAlchemy would say only that it cannot import a module."""
    with pytest.raises(DictionaryUnusable) as caught:
        open_dictionary("postgresql+pg8000://u:hidden-word@h/d")

    assert "kafka-lineage-scanner[postgres]" in caught.value.hint


def _names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


def _fill(conn, scan) -> None:
    pages = conn.exec_driver_sql("PRAGMA page_count").scalar()
    conn.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    columns = enumerate(scan.definitions[0].columns)
    conn.execute(
        t.scan_problem.insert(),
        [{"scan_id": 1, "ordinal": i, "location": c.name, "what": "", "hint": ""} for i, c in columns],
    )


@contextmanager
def _shared_directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        yield directory
        directory.chmod(0o755)


@contextmanager
def _as_nobody() -> Iterator[None]:
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:p@ss/hidden@h:1/x",
        "postgresql://u:p@hidden@h/x",
        "postgresql://u:p@ss?hidden@h/x",
        "postgresql://u:p@ss:hidden@h/x",
        "postgresql://u/hidden@h/x",
    ],
)
def test_password_that_is_not_encoded_is_refused_without_showing_its_end(url) -> None:
    """What follows an `@` or a `/` in it would be taken for host and database, and shown."""
    with pytest.raises(InputInvalid) as error:
        resolve_url(url)

    assert "hidden" not in str(error.value)
    assert "ss" not in error.value.where


def test_url_without_its_colon_is_a_file_that_is_shown_without_the_password() -> None:
    """A slip of the hand must not show it."""
    assert resolve_url("postgres//u:hidden@h/x").shown == "postgres//h/x"
