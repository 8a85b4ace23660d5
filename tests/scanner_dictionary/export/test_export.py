"""The whole dictionary out of its database: as a SQL script, and as Parquet."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy import Connection, Engine, select

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.export import export_h2, export_parquet
from scanner_dictionary.schema import tables as t
from scanner_dictionary.schema.facts import metadata
from scanner_model.columns import Column
from scanner_model.errors import DictionaryUnusable, InputInvalid
from scanner_model.private_files import atomic_file
from scanner_model.scan import ClusterScan

ODD = "it's; -- \"x\" \\n \\'\r\n\t$$ /* */ {fn} ? :name %s\u2028 żółć заказы 注文 🦆 \u0000end"
"""What a quoted text could be mistaken in: quotes, comments, holes, line ends, every plane of Unicode, and a NUL."""
DUCK = "🦆"
KEPT = ODD.replace("\0", "\ufffd")


@pytest.fixture
def unusual(sample: Any, store: Callable[[ClusterScan], Any]) -> None:
    """Store a sample whose texts are as odd as a registry allows."""
    scan = sample.orders()
    columns = (
        Column(path=(ODD,), type="string", doc=ODD, tags=(ODD,), default='"it\'s"'),
        Column(path=("n",), type="int", nullable=True, number=2**29),
    )
    definitions = (*scan.definitions[:1], replace(scan.definitions[1], text=ODD, columns=columns))
    topic = replace(scan.topics[0], description=ODD, partitions=2**40)
    store(replace(scan, definitions=definitions, topics=(topic,)))
    store(replace(scan, definitions=definitions, topics=()))


@pytest.fixture
def conn(dictionary: Engine) -> Iterator[Connection]:
    """Return a connection to the dictionary."""
    with dictionary.connect() as conn:
        yield conn


def script(conn: Connection) -> str:
    out = io.StringIO()
    export_h2(conn, out)
    return out.getvalue()


def contents(conn: Connection) -> dict[str, list[tuple[Any, ...]]]:
    tables = metadata.tables.items()
    return {
        name: [tuple(row) for row in conn.execute(select(table).order_by(*table.primary_key.columns))]
        for name, table in tables
    }


@pytest.mark.usefixtures("unusual")
def test_script_loads_into_sqlite_as_the_same_dictionary(conn: Connection, tmp_path: Path) -> None:
    """Every row, type and index is there, so that the program itself can go on with it."""
    copy = tmp_path / "copy.db"
    with sqlite3.connect(copy) as plain:
        plain.executescript(script(conn))
    plain.close()

    engine = open_dictionary(str(copy), create=False)
    with engine.connect() as other:
        assert contents(other) == contents(conn)
    engine.dispose()


@pytest.mark.usefixtures("unusual")
def test_loaded_script_keeps_its_references(conn: Connection) -> None:
    """Foreign keys are checked while the script runs, and afterwards."""
    plain = sqlite3.connect(":memory:")
    plain.execute("PRAGMA foreign_keys = ON")

    plain.executescript(script(conn))

    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        plain.execute("INSERT INTO scan_problem VALUES (99, 0, '', '', '')")
    plain.close()


@pytest.mark.usefixtures("unusual")
def test_script_may_be_loaded_again(conn: Connection) -> None:
    """A newer export takes the place of the older one in the same database."""
    plain = sqlite3.connect(":memory:")
    plain.execute("PRAGMA foreign_keys = ON")

    plain.executescript(script(conn))
    plain.executescript(script(conn))

    assert plain.execute("SELECT description FROM topic").fetchall() == [(KEPT,)]
    plain.close()


@pytest.mark.usefixtures("unusual")
def test_script_is_the_same_every_time(conn: Connection) -> None:
    """Two exports can be compared, and kept under version control."""
    assert script(conn) == script(conn)


def test_empty_dictionary_gives_every_table(conn: Connection) -> None:
    """Whoever prepares a report needs the tables before the first scan."""
    plain = sqlite3.connect(":memory:")

    plain.executescript(script(conn))

    names = {name for (name,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert names == {*metadata.tables, "dictionary_version"}
    plain.close()


def test_statements_stay_short(conn: Connection, sample: Any, store: Callable[[ClusterScan], Any]) -> None:
    """A database parses a statement as a whole: a hundred thousand rows must not be one."""
    store(sample.scan(topics=tuple(sample.topic(f"topic-{i}", description="x" * 500) for i in range(500))))

    statements = script(conn).split("INSERT INTO")

    assert len(statements) > 10
    assert max(map(len, statements)) < 70_000


def test_file_is_written_whole_in_place_of_the_earlier_one(conn: Connection, tmp_path: Path) -> None:
    """Nothing but the file is left behind."""
    file = tmp_path / "out" / "dictionary.sql"
    file.parent.mkdir()
    file.write_text("earlier")

    export_h2(conn, file)

    assert file.read_text(encoding="utf-8") == script(conn)
    assert list(file.parent.iterdir()) == [file]


def test_earlier_file_stays_where_the_dictionary_cannot_be_read(
    conn: Connection, dictionary: Engine, tmp_path: Path
) -> None:
    """Half a script would load as half a dictionary."""
    file = tmp_path / "out" / "dictionary.sql"
    file.parent.mkdir()
    file.write_text("earlier")
    conn.exec_driver_sql("DROP TABLE flow_edge")

    with pytest.raises(DictionaryUnusable):
        export_h2(conn, file)

    assert [(file.name, file.read_text()) for file in file.parent.iterdir()] == [("dictionary.sql", "earlier")]


def test_pipe_is_written_to_and_stays_a_pipe(conn: Connection, tmp_path: Path) -> None:
    """`-o /dev/stdout` must not replace a device by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        export_h2(conn, pipe)
        output = reader.communicate()[0]

    assert output.decode() == script(conn)
    assert pipe.is_fifo()


@pytest.mark.parametrize("export", [export_h2, export_parquet])
def test_place_that_cannot_be_written_is_named(conn: Connection, tmp_path: Path, export: Any) -> None:
    """The user mends the path; there is no traceback."""
    location = tmp_path / "missing" / "out"

    with pytest.raises(InputInvalid) as caught:
        export(conn, location)

    assert caught.value.where == str(location)
    assert caught.value.what == "cannot be written: No such file or directory"


def test_directory_is_no_place_for_a_script(conn: Connection, tmp_path: Path) -> None:
    """It is said before anything is read."""
    with pytest.raises(InputInvalid) as caught:
        export_h2(conn, tmp_path)

    assert caught.value.what == "is a directory, and a file is wanted"


@pytest.mark.usefixtures("unusual")
def test_parquet_holds_every_row(conn: Connection, tmp_path: Path) -> None:
    """Values come back as they are stored, type by type."""
    export_parquet(conn, tmp_path / "out")

    result = {
        file.stem: [tuple(row.values()) for row in pq.read_table(file).to_pylist()]
        for file in (tmp_path / "out").iterdir()
    }
    assert result == contents(conn)


def test_parquet_documents_itself(conn: Connection, tmp_path: Path) -> None:
    """Types, what may be empty, and what a column means stand in the file; an empty table has them too."""
    export_parquet(conn, tmp_path / "out")

    schema = pq.read_schema(tmp_path / "out" / "topic.parquet")
    assert (str(schema.field("partitions").type), schema.field("partitions").nullable) == ("int64", True)
    assert (str(schema.field("is_internal").type), schema.field("is_internal").nullable) == ("bool", False)
    assert (str(schema.field("id").type), str(schema.field("config").type)) == ("int32", "string")
    assert schema.field("name").metadata[b"doc"] == b"its name"
    assert schema.metadata[b"doc"] == b"A topic of a cluster."


@pytest.mark.usefixtures("unusual")
def test_parquet_is_the_same_every_time(conn: Connection, tmp_path: Path) -> None:
    """Same dictionary, same bytes."""
    export_parquet(conn, tmp_path / "one")
    export_parquet(conn, tmp_path / "two")

    item, two = ({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert item == two


def test_parquet_takes_the_place_of_an_earlier_export(
    conn: Connection, tmp_path: Path, sample: Any, store: Callable[[ClusterScan], Any]
) -> None:
    """A nightly export names one directory."""
    export_parquet(conn, tmp_path / "out")
    conn.rollback()
    store(sample.orders())

    export_parquet(conn, tmp_path / "out")

    assert pq.read_table(tmp_path / "out" / "topic.parquet").column("name").to_pylist() == ["orders"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["dictionary.db", "out"]


def test_parquet_does_not_replace_other_files(conn: Connection, tmp_path: Path) -> None:
    """`-o .` must not cost anybody their files."""
    file = tmp_path / "out" / "notes.txt"
    file.parent.mkdir()
    file.write_text("mine")

    with pytest.raises(InputInvalid) as caught:
        export_parquet(conn, file.parent)

    assert caught.value.what == "the directory holds something else: notes.txt"
    assert file.read_text() == "mine"


def test_parquet_does_not_replace_a_file(conn: Connection, tmp_path: Path) -> None:
    """The name was probably meant for another format."""
    file = tmp_path / "out.parquet"
    file.write_text("mine")

    with pytest.raises(InputInvalid) as caught:
        export_parquet(conn, file)

    assert caught.value.what == "is a file, and a directory is wanted"


def test_many_rows_are_several_row_groups(conn: Connection, dictionary: Engine, tmp_path: Path) -> None:
    """Memory is bounded by a group, however large the table."""
    with dictionary.begin() as writing:
        writing.execute(t.cluster.insert().values(id=1, name="c", kafka_cluster_id=""))
        rows = [{"id": i, "cluster_id": 1, "name": str(i), "kind": "", "stale_reason": ""} for i in range(70_000)]
        writing.execute(t.source.insert(), rows)

    export_parquet(conn, tmp_path / "out")

    file = pq.ParquetFile(tmp_path / "out" / "source.parquet")
    assert file.num_row_groups == 2
    assert file.metadata.num_rows == 70_000
    file.close()


@pytest.mark.process
def test_missing_pyarrow_is_reported_with_the_command_that_installs_it(tmp_path: Path) -> None:
    """It is an extra; a new process is queried, because this one has it."""
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from pathlib import Path\n"
        "from scanner_dictionary.engine.open import open_dictionary\n"
        "from scanner_dictionary.export import export_parquet\n"
        "from scanner_model.errors import InputInvalid\n"
        "with open_dictionary(sys.argv[1]).connect() as conn:\n"
        "    try: export_parquet(conn, Path(sys.argv[2]))\n"
        "    except InputInvalid as error: print(error)\n"
    )
    args = [sys.executable, "-c", program, str(tmp_path / "d.db"), str(tmp_path / "out")]

    output = subprocess.run(args, capture_output=True, text=True, check=True).stdout

    assert output == f"{tmp_path / 'out'}: Parquet needs pyarrow (pip install 'kafka-lineage-scanner[parquet]')\n"


@pytest.fixture
def h2(tmp_path: Path) -> Callable[..., str]:
    """Return what runs a tool of the real H2 on a new database."""
    jar, java = os.environ.get("SCANNER_H2_JAR", ""), shutil.which("java")
    if not java or not Path(jar).is_file():
        pytest.skip("needs java, and SCANNER_H2_JAR to name H2's jar (mvn dependency:copy, see docs/export.md)")

    def run(tool: str, *arguments: str) -> str:
        url = f"jdbc:h2:{tmp_path / 'h2'}"
        command = [java, "-Dfile.encoding=UTF-8", "-cp", jar, f"org.h2.tools.{tool}", "-url", url, "-user", "sa"]
        done = subprocess.run([*command, *arguments], capture_output=True, check=True)
        return done.stdout.decode("utf-8")

    return run


@pytest.mark.lab
@pytest.mark.usefixtures("unusual")
def test_h2_loads_the_script(conn: Connection, tmp_path: Path, h2: Callable[..., str]) -> None:
    """The real program counts the rows of every table, and has the odd text in them letter by letter."""
    export_h2(conn, tmp_path / "dictionary.sql")
    counts = [f"{name}  | {len(rows)}" for name, rows in sorted(contents(conn).items())]
    count = " UNION ALL ".join(f"SELECT '{name}' AS t, count(*) FROM {name}" for name in metadata.tables)
    text = "||".join(f"CHAR({ord(item)})" for item in KEPT if item != DUCK)

    h2("RunScript", "-script", str(tmp_path / "dictionary.sql"))

    counted = h2("Shell", "-sql", f"{count} ORDER BY t").splitlines()[1:-1]
    assert [" ".join(line.split()) for line in counted] == [" ".join(line.split()) for line in counts]
    same = h2("Shell", "-sql", f"SELECT count(*) FROM topic WHERE REPLACE(description, '{DUCK}', '') = {text}")
    assert same.splitlines()[1] == "1"


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """Somebody else may have put it into a directory that all can write into."""
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "out").symlink_to("victim")
    with atomic_file(tmp_path / "out") as out:
        out.write("new")

    assert (tmp_path / "victim").read_text() == "precious"
    assert (tmp_path / "out").read_text() == "new"
