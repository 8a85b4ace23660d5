"""The `flink` and `streams` of a cluster.json: what they may say, and every way in which they can be wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.settings.cluster import BasicAuth, Settings
from scanner_model.errors import InputInvalid

LEAST = {"cluster": "retail", "brokers": "kafka-1"}
CLOUD = {
    "type": "confluent",
    "url": "https://flink.eu-central-1.aws.confluent.cloud",
    "organization": "0a1b",
    "environment": "env-1",
}
KINDS = "cmf, confluent, jobmanager, sql-files, sql-gateway"


def read(directory: Path, *, replayed: bool = False, **members: object) -> Settings:
    (directory / "cluster.json").write_text(json.dumps(LEAST | members))
    return read_cluster_file(directory / "cluster.json", {"PW": "s3cret"}, (), replayed=replayed)


def problems(directory: Path, **members: object) -> list[str]:
    with pytest.raises(InputInvalid) as caught:
        read(directory, **members)
    return [f"{problem.where.partition(' ')[2]} {problem.what}" for problem in caught.value.problems]


def test_every_kind_of_server_arrives(tmp_path):
    """Each is a source of its own, named by people or by where it is."""
    auth = {"auth": {"basic": {"user": "u", "password": "${PW}"}}}
    cmf = {"type": "cmf", "url": "http://cmf:8080", "environment": "prod"}
    manager = {"type": "jobmanager", "url": "http://jm:8081/", "name": "main", "concurrency": 3}

    settings = read(tmp_path, flink=[CLOUD | auth, cmf, manager, {"type": "sql-gateway", "url": "http://g:8083"}])
    cloud, platform, jobs, gateway = settings.flink

    assert [item.source for item in settings.flink] == [
        "flink:https://flink.eu-central-1.aws.confluent.cloud/env-1",
        "flink:http://cmf:8080/prod",
        "flink:main",
        "flink:http://g:8083",
    ]
    assert (cloud.organization, cloud.environment, cloud.region) == ("0a1b", "env-1", "aws.eu-central-1")
    assert cloud.http.auth == BasicAuth(user="u", password="s3cret")
    assert (platform.environment, platform.region, jobs.http.concurrency) == ("prod", "", 3)
    assert ("s3cret" in repr(settings), gateway.type) == (False, "sql-gateway")


@pytest.mark.parametrize(
    ("members", "region"),
    [
        ({"url": "https://flink.us-east1.gcp.private.confluent.cloud"}, "gcp.us-east1"),
        ({"url": "https://flink-x1.westeurope.azure.confluent.cloud"}, "azure.westeurope"),
        ({"url": "https://flink.example.org"}, ""),
        ({"url": "https://flink.example.org", "region": "aws.eu-west-1"}, "aws.eu-west-1"),
    ],
)
def test_region_is_reported_by_the_address_or_by_people(tmp_path, members, region):
    """A private endpoint may be called anything."""
    assert read(tmp_path, flink=[CLOUD | members]).flink[0].region == region


def test_files_are_found_beside_cluster_json(tmp_path):
    """A pattern, a file, a directory."""
    for name in ("flink/b.sql", "flink/a.sql", "flink/a.txt", "top/enrich.txt", "one.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    sql = {"type": "sql-files", "path": "flink", "catalog": "c", "database": "d"}
    chosen = {"type": "sql-files", "path": "flink/a*", "name": "chosen"}

    settings = read(tmp_path, flink=[sql, chosen], streams=[{"path": "top/*.txt"}, {"path": "one.txt", "name": "app"}])
    first, second = settings.sql_files

    assert [file.name for file in first.files.files] == ["a.sql", "b.sql"]
    assert (first.source, first.catalog, first.database) == ("flink:flink", "c", "d")
    assert (second.source, [file.name for file in second.files.files]) == ("flink:chosen", ["a.sql", "a.txt"])
    assert [item.source for item in settings.others["streams"]] == ["streams:top/*.txt", "streams:app"]


@pytest.mark.parametrize(
    ("item", "result"),
    [
        ({"type": "jobmanger", "url": "http://x"}, '$.flink[0].type "jobmanger": unknown Flink source type'),
        ({"url": "http://x"}, "$.flink[0] 'type' is missing"),
        ({"type": "jobmanager"}, "$.flink[0] 'url' is missing"),
        ({"type": "sql-files"}, "$.flink[0] 'path' is missing"),
        ({"type": "cmf", "url": "http://x"}, "$.flink[0] 'environment' is missing"),
        (
            {"type": "jobmanager", "url": "http://x", "environment": "e"},
            "$.flink[0].environment 'environment' is not for Flink sources of type jobmanager",
        ),
        (
            {"type": "sql-files", "path": "a.sql", "url": "http://x"},
            "$.flink[0].url 'url' is not for Flink sources of type sql-files",
        ),
        ({"type": "sql-files", "path": "none/*.sql"}, '$.flink[0].path "none/*.sql" matches no file'),
        ({"type": "jobmanager", "url": "jm:8081"}, '$.flink[0].url "jm:8081" is not a web address'),
        ({"type": "sql-files", "path": 1}, "$.flink[0].path a number stands where text is expected"),
        ({"type": []}, "$.flink[0].type a list stands where text is expected"),
        (7, "$.flink[0] a number stands where an object is expected"),
    ],
)
def test_wrong_source_of_flink_is_reported(tmp_path, item, result):
    """With its place, and nothing else."""
    (tmp_path / "a.sql").write_text("")

    assert problems(tmp_path, flink=[item]) == [result]


def test_unknown_kind_comes_with_those_that_are_known(tmp_path):
    """Nobody wants to look it up."""
    with pytest.raises(InputInvalid) as caught:
        read(tmp_path, flink=[{"type": "x"}])

    assert caught.value.hint == f"known: {KINDS}"


def test_everything_that_a_cloud_source_lacks_is_reported_at_once(tmp_path):
    """Nobody wants to mend a file line by line."""
    assert problems(tmp_path, flink=[{"type": "confluent"}]) == [
        "$.flink[0] 'environment' is missing",
        "$.flink[0] 'organization' is missing",
        "$.flink[0] 'url' is missing",
    ]


@pytest.mark.parametrize(
    ("sources", "result"),
    [
        ([{"name": "a"}, {"name": "a", "environment": "env-2"}], ['$.flink[1].name two sources are called "a"']),
        ([{}, {}], [f'$.flink[1].url two sources are called "{CLOUD["url"]}"']),
    ],
)
def test_two_sources_cannot_be_one(tmp_path, sources, result):
    """Each scan would tell that the other's statements are gone."""
    assert problems(tmp_path, flink=[CLOUD | source for source in sources]) == result


def test_one_region_may_hold_two_environments(tmp_path):
    """They are two sources at one address."""
    assert len(read(tmp_path, flink=[CLOUD, CLOUD | {"environment": "env-2"}]).flink) == 2


def test_an_application_has_one_topology_and_a_name_of_its_own(tmp_path):
    """The application id names its internal topics."""
    for name in ("a/x.txt", "b/x.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("")

    assert problems(tmp_path, streams=[{"path": "**/*.txt", "name": "app"}]) == [
        '$.streams[0].name "**/*.txt" matches 2 files, and an application has one topology'
    ]
    assert problems(tmp_path, streams=[{"path": "**/*.txt"}]) == [
        "$.streams[0].path several files are called 'x', and the name is the application id"
    ]
    assert problems(tmp_path, streams=[{"name": "app"}, {"path": "no.txt"}]) == [
        "$.streams[0] 'path' is missing",
        '$.streams[1].path "no.txt" matches no file',
    ]


def test_a_replay_needs_no_files(tmp_path):
    """A capture holds what they say."""
    settings = read(
        tmp_path, replayed=True, flink=[{"type": "sql-files", "path": "gone/*.sql"}], streams=[{"path": "gone.txt"}]
    )

    assert (settings.sql_files[0].files.files, settings.others["streams"][0].source) == ((), "streams:gone.txt")
