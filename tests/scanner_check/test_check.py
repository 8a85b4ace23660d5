"""The check as a whole: files, path rules, git, what is not known, and the baseline."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from checked_installation import AT, RECORDED, SCRIPT_TEXT, SINK, Stored, installation, read_result, text_of

from scanner_api import CheckOptions, PathRule, ProposedFiles, Target, check_change, git_files, proposed_files
from scanner_check.inputs.baseline import Accepted, parse_baseline
from scanner_check.inputs.proposals import kind_of
from scanner_check.model import Verdict
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.evolution import Level
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid
from scanner_model.names import SourceId
from scanner_model.scan import ClusterScan, SourceStatus

Proposed = Callable[..., Path]
ORDERS = RECORDED["versions"]["AVRO"][1]
LESS = {**ORDERS, "fields": [field for field in ORDERS["fields"] if field["name"] != "amount"]}
MORE = {**ORDERS, "fields": [*ORDERS["fields"], {"name": "note", "type": "string", "default": ""}]}
NONE = CheckOptions(level=Level.NONE)


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ("schemas/{subject}.avsc", "schemas/orders-value.avsc", Target(subject="orders-value")),
        ("schemas/{subject}.avsc", "repo/schemas/a.b-value.avsc", Target(subject="a.b-value")),
        ("schemas/{subject}.avsc", "schemas/sub/orders-value.avsc", None),
        ("schemas/**/{subject}.avsc", "schemas/a/b/orders-value.avsc", Target(subject="orders-value")),
        ("*/{topic}-{role}.proto", "proto/orders-key.proto", Target(topic="orders", role="key")),
        ("flink/{statement}.sql", "flink/enrich.sql", Target(statement="enrich")),
        ("flink/{statement}.sql", "repo/flink/etl/enrich.sql", Target(statement="etl/enrich")),
        ("{statement}", "flink/etl/enrich.sql", Target(statement="flink/etl/enrich.sql")),
        ("connect/{connector}.json", "connect/sink+1.json", Target(connector="sink+1")),
        ("schemas/{subject}.avsc", "schemas/orders-value.avsc.bak", None),
    ],
)
def test_path_rule(rule: str, path: str, expected: Target | None) -> None:
    """A repository's layout says what each file is of."""
    assert PathRule.parse(rule).target(path) == expected


@pytest.mark.parametrize("rule", ["schemas/*.avsc", "schemas/{name}.avsc", "{subject}/{subject}.avsc", "{role}.avsc"])
def test_path_rule_that_names_nothing_is_an_error(rule: str) -> None:
    """Every file would be of nothing."""
    with pytest.raises(InputInvalid):
        PathRule.parse(rule)


@pytest.mark.parametrize(
    ("file", "text", "kind"),
    [
        ("a.avsc", "{}", "schema"),
        ("a.json", '{"type": "object"}', "schema"),
        ("a.json", '{"name": "x", "config": {"connector.class": "X"}}', "connector"),
        ("a.json", '{"description": "a connector.class"}', "schema"),
        ("a.sql", "", "sql"),
        ("a.properties", "connector.class=X", "connector"),
    ],
)
def test_kind_of_a_file(file: str, text: str, kind: str) -> None:
    """JSON may be a schema or a configuration."""
    assert kind_of(file, text) == kind


def test_directory_of_many_files(shop: Stored, tmp_path: Path) -> None:
    """One check of all; each finding names its file."""
    folder = tmp_path / "schemas"
    folder.mkdir()
    (folder / "orders.avro-value.avsc").write_text(text_of(LESS))
    (folder / "orders.json-value.json").write_text(text_of(RECORDED["versions"]["JSON"][1]))
    (folder / "README.md").write_text("schemas")

    report = check_change(shop.dictionary, proposed_files([str(folder)]), NONE)

    assert [Path(one.file).name for one in report.files] == ["orders.avro-value.avsc", "orders.json-value.json"]
    assert {Path(finding.place.file).name for finding in report.findings} == {"orders.avro-value.avsc"}


def test_unknown_subject_among_many_is_a_finding(shop: Stored, tmp_path: Path) -> None:
    """The other files are checked nevertheless, and the whole is not fine."""
    for name in ("orders.avro-value.avsc", "nobody-value.avsc"):
        (tmp_path / name).write_text(text_of(ORDERS))
    report = check_change(shop.dictionary, proposed_files([str(tmp_path)]), NONE)

    assert [(finding.rule, finding.verdict) for finding in report.findings] == [("unknown-name", Verdict.UNKNOWN)]


@pytest.mark.parametrize("content", [None, "README.md"])
def test_directory_without_a_schema_is_an_error(content: str | None, tmp_path: Path) -> None:
    """A misspelt path must not be green for ever."""
    if content:
        (tmp_path / content).write_text("x")
    with pytest.raises(InputInvalid):
        proposed_files([str(tmp_path)])


def test_file_that_no_rule_fits(tmp_path: Path) -> None:
    """A file that is named is meant; of a directory, some files may be others'."""
    rules = [PathRule.parse("schemas/{subject}.avsc")]
    (tmp_path / "other.avsc").write_text("{}")
    with pytest.raises(InputInvalid):
        proposed_files([str(tmp_path / "other.avsc")], rules=rules)

    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "a.avsc").write_text("{}")
    files = proposed_files([str(tmp_path)], rules=rules)
    assert ([Path(one.file).name for one in files.proposals], len(files.skipped)) == (["a.avsc"], 1)


@pytest.mark.parametrize("raw", [b"\xff\xfe", None])
def test_file_that_cannot_be_read(raw: bytes | None, tmp_path: Path) -> None:
    """One line with the file's name."""
    file = tmp_path / "a.avsc"
    if raw is not None:
        file.write_bytes(raw)
    with pytest.raises(InputInvalid) as error:
        proposed_files([str(file)])

    assert error.value.where == str(file)


# --- git


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., str]:
    """Commit files in a repository of the working directory's; returns the commit."""
    home = tmp_path / "repo"
    home.mkdir()

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *arguments]
        return subprocess.run(command, cwd=home, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")

    def commit(files: dict[str, str | None]) -> str:
        for name, text in files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink() if text is None else path.write_text(text, encoding="utf-8")
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "x")
        return git("rev-parse", "HEAD")

    return commit


RULES = [PathRule.parse("schemas/{subject}.avsc")]
SUBJECT = "schemas/orders.avro-value.avsc"


def test_changed_files_of_two_commits(shop: Stored, repository: Callable[..., str], tmp_path: Path) -> None:
    """Only what differs is checked, as it is in the second commit, whatever the work tree has."""
    base = repository({SUBJECT: text_of(ORDERS), "schemas/same.avsc": "{}", "README.md": "a"})
    head = repository({SUBJECT: text_of(LESS), "README.md": "b"})
    (tmp_path / "repo" / SUBJECT).write_text("not committed")

    files = git_files(f"{base}..{head}", RULES, tmp_path / "repo")
    report = check_change(shop.dictionary, files, NONE)

    assert ([skipped.file for skipped in files.skipped], [one.file for one in report.files]) == (
        ["README.md"],
        [SUBJECT],
    )
    assert [(finding.rule, finding.item) for finding in report.findings] == [("column-removed", "amount")]


def test_deleted_file_is_the_deletion_of_its_subject(
    shop: Stored, repository: Callable[..., str], tmp_path: Path
) -> None:
    """The subject is in use, so its end hits those who use it."""
    base = repository({SUBJECT: text_of(ORDERS)})
    head = repository({SUBJECT: None})
    report = check_change(shop.dictionary, git_files(f"{base}..{head}", RULES, tmp_path / "repo"), NONE)

    (finding,) = report.findings
    assert (finding.rule, finding.verdict) == ("file-deleted", Verdict.IMPACT)
    assert any("orders.avro" in why for why in finding.why)
    assert {"shop.sql:1", "paid-to-warehouse", "public.paid.avro"} <= {hit.name for hit in finding.affected}


SINK_FILE = {"name": "new-sink", "config": {**SINK, "topics": "orders.avro"}}
NEW_SQL = SCRIPT_TEXT.replace("paid_", "other_").replace("'paid.", "'other.")


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("sink.json", text_of(SINK_FILE), text_of(SINK_FILE).replace("orders.avro", "orders.json")),
        ("other.sql", NEW_SQL, NEW_SQL.replace("PAID", "SENT")),
    ],
)
def test_changed_job_that_was_never_scanned_is_not_known(
    file: str, before: str, after: str, shop: Stored, repository: Callable[..., str], tmp_path: Path
) -> None:
    """Who loses what it did is in no dictionary; a new one takes nothing from anybody."""
    empty, base, head = repository({}), repository({file: before}), repository({file: after})

    def rules(commits: str, **options: bool) -> dict[str, Verdict]:
        files = git_files(commits, (), tmp_path / "repo")
        report = check_change(shop.dictionary, files, CheckOptions(**options))
        return {finding.rule: finding.verdict for finding in report.findings}

    assert "unknown-name" not in rules(f"{empty}..{base}")
    assert rules(f"{base}..{head}")["unknown-name"] is Verdict.UNKNOWN
    assert rules(f"{base}..{head}", allow_new=True)["unknown-name"] is Verdict.FINE


def test_moved_file_is_no_deletion(shop: Stored, repository: Callable[..., str], tmp_path: Path) -> None:
    """Another path of the same subject has it now."""
    rules = [PathRule.parse("**/{subject}.avsc")]
    base = repository({SUBJECT: text_of(ORDERS)})
    head = repository({SUBJECT: None, "new/orders.avro-value.avsc": text_of(MORE)})
    report = check_change(shop.dictionary, git_files(f"{base}..{head}", rules, tmp_path / "repo"), NONE)

    assert [finding.rule for finding in report.findings] == ["column-added"]


def test_without_a_rule_a_schema_is_named_as_its_file(
    shop: Stored, repository: Callable[..., str], tmp_path: Path
) -> None:
    """As where the file is named; JSON may be anything, and is skipped with the reason."""
    base = repository({SUBJECT: text_of(ORDERS)})
    head = repository({SUBJECT: text_of(LESS), "package.json": "{}", "main.py": ""})
    files = git_files(f"{base}..{head}", (), tmp_path / "repo")
    report = check_change(shop.dictionary, files, NONE)

    assert [finding.rule for finding in report.findings] == ["column-removed"]
    assert {skipped.file: "--map" in skipped.why for skipped in report.skipped} == {
        "main.py": False,
        "package.json": True,
    }


def test_rule_that_fits_nothing_is_not_fine(shop: Stored, repository: Callable[..., str], tmp_path: Path) -> None:
    """The file that was meant is named, with the reason."""
    base = repository({SUBJECT: text_of(ORDERS)})
    head = repository({SUBJECT: text_of(LESS)})
    files = git_files(f"{base}..{head}", [PathRule.parse("schema/{subject}.avsc")], tmp_path / "repo")
    report = check_change(shop.dictionary, files, NONE)

    assert (report.verdict, [tuple(skipped) for skipped in report.skipped]) == (
        Verdict.UNKNOWN,
        [(SUBJECT, "no rule of --map fits it")],
    )


def test_submodules_and_links_are_skipped(shop: Stored, repository: Callable[..., str], tmp_path: Path) -> None:
    """They have no content of their own; the schema beside them is checked."""
    base, home = repository({SUBJECT: text_of(ORDERS)}), tmp_path / "repo"
    repository({SUBJECT: text_of(LESS)})
    (home / "schemas" / "link.avsc").symlink_to("/etc/passwd")
    subprocess.run(["git", "update-index", "--add", "--cacheinfo", f"160000,{base},lib"], cwd=home, check=True)
    subprocess.run(["git", "add", "schemas"], cwd=home, check=True)
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, "commit", "-qm", "x"], cwd=home, check=True)
    files = git_files(f"{base}..HEAD", RULES, home)

    assert [proposal.file for proposal in files.proposals] == [SUBJECT]
    assert dict(files.skipped) == {"lib": "it is a submodule", "schemas/link.avsc": "it is a symbolic link"}


@pytest.mark.parametrize(("broken", "verdict"), [(b"{", Verdict.BREAKS), (b"\xff\xfe", Verdict.UNKNOWN)])
def test_file_that_does_not_parse_is_a_finding_among_others(
    broken: bytes, verdict: Verdict, shop: Stored, repository: Callable[..., str], tmp_path: Path
) -> None:
    """The others are checked nevertheless."""
    base = repository({SUBJECT: text_of(ORDERS), "schemas/orders.json-value.avsc": "x"})
    (tmp_path / "repo" / "schemas" / "orders.json-value.avsc").write_bytes(broken)
    head = repository({SUBJECT: text_of(LESS)})
    report = check_change(shop.dictionary, git_files(f"{base}..{head}", RULES, tmp_path / "repo"), NONE)

    rules = {finding.rule: (Path(finding.place.file).name, finding.verdict) for finding in report.findings}
    assert rules.pop("column-removed") == ("orders.avro-value.avsc", Verdict.IMPACT)
    assert list(rules.values()) == [("orders.json-value.avsc", verdict)]


def test_names_with_blanks_and_letters(shop: Stored, repository: Callable[..., str], tmp_path: Path) -> None:
    """Git quotes them unless it is told not to."""
    base = repository({"a": ""})
    repository({"schemas/zwölf ür-value.avsc": text_of(ORDERS)})
    files = git_files(f"{base}..", RULES, tmp_path / "repo")

    assert [one.target.subject for one in files.proposals] == ["zwölf ür-value"]


@pytest.mark.parametrize("commits", ["nosuch..HEAD", "HEAD..nosuch", "--output=/tmp/x..HEAD", "HEAD", "..HEAD"])
def test_commit_that_is_missing_is_an_error(commits: str, repository: Callable[..., str], tmp_path: Path) -> None:
    """A shallow clone lacks the base; nothing may look unchanged because of it."""
    repository({SUBJECT: text_of(ORDERS)})
    with pytest.raises(InputInvalid):
        git_files(commits, RULES, tmp_path / "repo")


def test_git_that_is_not_installed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An image for CI may lack it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputInvalid) as error:
        git_files("a..b", RULES, tmp_path)

    assert "not installed" in error.value.what


def test_commits_without_a_common_one_are_an_error(repository: Callable[..., str], tmp_path: Path) -> None:
    """Three dots ask for the last common commit, which a shallow clone may lack."""
    base = repository({SUBJECT: text_of(ORDERS)})
    home = tmp_path / "repo"
    tree = subprocess.run(["git", "rev-parse", "HEAD^{tree}"], cwd=home, check=True, capture_output=True, text=True)
    make = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "-m", "other", tree.stdout.strip()]
    other = subprocess.run(make, cwd=home, check=True, capture_output=True, text=True).stdout.strip()

    with pytest.raises(InputInvalid) as error:
        git_files(f"{base}...{other}", RULES, home)
    assert "merge base" in error.value.what


def test_directory_without_a_repository_is_an_error(tmp_path: Path) -> None:
    """It says so instead of naming a missing commit."""
    with pytest.raises(InputInvalid) as error:
        git_files("a..b", RULES, tmp_path)

    assert "no git repository" in error.value.what


def test_no_program_of_the_repository_runs(repository: Callable[..., str], tmp_path: Path) -> None:
    """A pull request may bring configuration of its own."""
    base = repository({SUBJECT: text_of(ORDERS), ".gitattributes": "*.avsc diff=evil\n"})
    head = repository({SUBJECT: text_of(LESS)})
    home, mark = tmp_path / "repo", tmp_path / "ran"
    for key in ("diff.evil.command", "diff.evil.textconv", "core.fsmonitor"):
        subprocess.run(["git", "config", key, f"touch {mark}; cat"], cwd=home, check=True)

    assert len(git_files(f"{base}..{head}", RULES, home).proposals) == 1
    assert not mark.exists()


# --- what is not known


def test_stale_source_is_unknown_even_for_a_harmless_change(store: Callable[..., Stored], proposed: Proposed) -> None:
    """The schema that it was compared with may be an old one."""
    down = replace(
        installation(),
        outcomes=tuple(
            read_result(one.source, SourceStatus.UNAVAILABLE) if one.kind == "schema_registry" else one
            for one in installation().outcomes
        ),
        versions=(),
        definitions=(),
        topic_schemas=(),
    )
    report = store(installation(), down).check(proposed("orders.avro-value.avsc", MORE), level=Level.BACKWARD)

    assert [(one.rule, one.item) for one in report.findings if one.verdict is Verdict.UNKNOWN] == [
        ("stale-source", "schema_registry:http://sr:8081")
    ]


@pytest.mark.parametrize(("hours", "expected"), [(23, Verdict.UNKNOWN), (25, Verdict.FINE)])
def test_age_of_the_dictionary(hours: int, expected: Verdict, shop: Stored, proposed: Proposed) -> None:
    """A dictionary of last year tells little of today."""
    report = shop.check(
        proposed("orders.avro-value.avsc", MORE),
        level=Level.BACKWARD,
        max_age=timedelta(hours=hours),
        now=AT + timedelta(days=1),
    )

    assert report.verdict is expected


@pytest.mark.parametrize(("minutes", "rules"), [(4, set()), (6, {"future-source"})])
def test_scan_in_the_future_is_not_fresh(minutes: int, rules: set[str], shop: Stored, proposed: Proposed) -> None:
    """A clock that was ahead by a year would make the dictionary fresh for a year; two clocks differ a little."""
    report = shop.check(
        proposed("orders.avro-value.avsc", MORE),
        level=Level.BACKWARD,
        max_age=timedelta(hours=1),
        now=AT - timedelta(minutes=minutes),
    )

    assert {finding.rule for finding in report.findings if finding.verdict is Verdict.UNKNOWN} == rules


def test_without_a_graph_nobody_is_known(store: Callable[..., Stored], proposed: Proposed) -> None:
    """The compatibility is known; who is hit is not, and that is not fine."""
    report = store(installation(), graph=False).check(proposed("orders.avro-value.avsc", LESS), level=Level.NONE)

    assert report.verdict is Verdict.UNKNOWN
    assert [finding.rule for finding in report.findings] == ["column-removed", "no-graph"]


def test_graph_that_is_older_than_the_scan(store: Callable[..., Stored], proposed: Proposed, tmp_path: Path) -> None:
    """What the newest scan found is not in it."""
    stored = store(installation())
    write_scan(open_dictionary(stored.dictionary.url, create=False), installation(), started=AT, finished=AT)

    report = stored.check(proposed("orders.avro-value.avsc", LESS), level=Level.NONE)
    assert "old-graph" in {finding.rule for finding in report.findings}


def test_connector_of_an_unknown_class_may_use_anything(store: Callable[..., Stored], proposed: Proposed) -> None:
    """A connector that nobody can read may read the removed column."""
    scan = installation()
    odd = replace(
        scan.connectors[0], name="odd", connector_class="com.acme.Odd", config=(("connector.class", "x.Odd"),)
    )
    stored = store(replace(scan, connectors=(*scan.connectors, odd)))
    report = stored.check(proposed("orders.avro-value.avsc", LESS), level=Level.NONE)

    (finding,) = (finding for finding in report.findings if finding.rule == "unread-jobs")
    assert (finding.verdict, "1 connectors" in finding.what) == (Verdict.UNKNOWN, True)


def with_view(definition: str) -> ClusterScan:
    """Return the installation with a view over the table that its sink writes."""
    scan, source = installation(), SourceId("database:dw")
    place = {"source": source, "provider": "database", "namespace": "postgres://db:5432"}
    columns = tuple(Column(path=(name,), type="bigint") for name in ("id", "total", "somewhat"))
    parameters = (("database", "warehouse"), ("schema", "public"))
    tables = (
        CatalogTable(name="warehouse.public.paid.avro", kind="TABLE", columns=columns, **place),
        CatalogTable(name="warehouse.public.v", kind="VIEW", definition=definition, parameters=parameters, **place),
    )
    return replace(scan, outcomes=(*scan.outcomes, read_result(source)), catalog_tables=tables)


@pytest.mark.parametrize(
    ("definition", "is_known"),
    [
        ('SELECT id FROM "paid.avro" WHERE total > 1', True),
        ('SELECT id, nobody.x AS y FROM "paid.avro"', False),
        ('SELECT p.id FROM "paid.avro" p, "paid.avro" q WHERE somewhere > 1', False),
        ('SELECT p.id FROM "paid.avro" p, f(1)', False),
    ],
)
def test_view_that_is_read_in_part_may_use_anything(
    definition: str, is_known: bool, store: Callable[..., Stored], proposed: Proposed
) -> None:
    """What it names and nobody knows may be what changes."""
    report = store(with_view(definition)).check(proposed("orders.avro-value.avsc", LESS), level=Level.NONE)

    assert ("unread-jobs" in {finding.rule for finding in report.findings}) is not is_known


def test_statement_that_reads_an_undeclared_table_may_read_anything(
    store: Callable[..., Stored], proposed: Proposed
) -> None:
    """The table may stand for the topic that changes."""
    scan = installation()
    text = "INSERT INTO paid_avro SELECT id, amount FROM nobody"
    odd = replace(scan.statements[0], name="odd.sql", statement=text)
    stored = store(replace(scan, statements=(*scan.statements, odd)))
    report = stored.check(proposed("orders.avro-value.avsc", LESS), level=Level.NONE)

    (finding,) = (finding for finding in report.findings if finding.rule == "unread-jobs")
    assert "1 statements or views could only be read in part" in finding.what


# --- the baseline


def baseline(*entries: dict[str, str]) -> tuple[Accepted, ...]:
    return parse_baseline(json.dumps({"accepted": list(entries)}), "accepted.json")


def test_accepted_finding_does_not_count(shop: Stored, proposed: Proposed) -> None:
    """A team has agreed on it; it is still shown, with the reason."""
    file = proposed("orders.avro-value.avsc", LESS)
    (finding,) = shop.check(file, level=Level.NONE).findings
    entry = {"fingerprint": finding.fingerprint, "reason": "agreed", "expires": "2026-03-01"}

    report = shop.check(file, level=Level.NONE, accepted=baseline(entry))

    assert (report.verdict, report.findings[0].accepted) == (Verdict.FINE, "agreed")


def test_expired_entry_counts_again_and_is_noted(shop: Stored, proposed: Proposed) -> None:
    """An exception that never ends is a hole."""
    file = proposed("orders.avro-value.avsc", LESS)
    (finding,) = shop.check(file, level=Level.NONE).findings
    gone = {"fingerprint": "0" * 16, "reason": "old", "expires": "2027-01-01"}
    entry = {"fingerprint": finding.fingerprint, "reason": "agreed", "expires": "2026-02-28"}

    report = shop.check(file, level=Level.NONE, accepted=baseline(entry, gone))

    assert report.verdict is Verdict.IMPACT
    assert ["expired" in report.notes[0], "fits no finding" in report.notes[1]] == [True, True]


def test_fingerprint_does_not_depend_on_lines(shop: Stored, proposed: Proposed) -> None:
    """A comment above the field must not end what was accepted."""
    prints = {
        shop.check(proposed("orders.avro-value.avsc", text), level=Level.NONE).findings[0].fingerprint
        for text in (json.dumps(LESS), json.dumps(LESS, indent=4))
    }

    assert len(prints) == 1


@pytest.mark.parametrize(
    "document",
    [
        "{",
        "[]",
        '{"accepted": [{}]}',
        '{"accepted": [{"fingerprint": "a", "reason": "", "expires": "2026-01-01"}]}',
        '{"accepted": [{"fingerprint": "a", "reason": "b", "expires": "soon"}]}',
    ],
)
def test_wrong_baseline_is_an_error_with_its_place(document: str) -> None:
    """An entry that is not read would be missed when it is needed."""
    with pytest.raises(InputInvalid) as error:
        parse_baseline(document, "accepted.json")

    assert "accepted.json" in str(error.value)


def test_nothing_to_check_is_unknown(shop: Stored) -> None:
    """A wrong base, or a rule that fits no path, would be green for ever."""
    report = check_change(shop.dictionary, ProposedFiles(proposals=()), NONE, now=AT)

    assert (report.verdict, [finding.rule for finding in report.findings]) == (Verdict.UNKNOWN, ["nothing-checked"])
