"""Recording raw answers and giving them again."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import AS_IS, Request, Response
from scanner_extractor.http.recording import (
    LARGEST,
    Recorder,
    Replay,
    directory_name,
    recorded_cluster,
    slug,
)
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.errors import InputInvalid, NotFound, PayloadUnexpected, SourceRefused, SourceUnreachable
from scanner_model.names import SourceId

SOURCE = SourceId("schema_registry:http://sr:8081")


def request(path: str = "/subjects", method: str = "GET", body: str = "") -> Request:
    return Request(source=SOURCE, method=method, url=f"http://sr:8081{path}", body=body)


def files(directory) -> dict[str, str]:
    return {str(path.relative_to(directory)): path.read_text() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "body", [b"[1]", b"", b"\xff\xfe\x00", '{"ü": "\\ud800"}'.encode(), b"\xef\xbb\xbf[]", b"a\r\nb"]
)
def test_answer_comes_back_byte_for_byte(tmp_path, body):
    """A bug report is only as good as the bytes it holds."""
    said = Response(status=201, headers={"content-type": "x/y", "set-cookie": "c", "date": "d"}, body=body)
    Recorder(tmp_path).recording(lambda _: said)(request())

    answer = Replay(tmp_path)(request())

    assert answer == Response(status=201, headers={"content-type": "x/y"}, body=body)


def test_masked_body_is_still_the_same_json(tmp_path):
    """Only the secret goes; a schema text beside it stays."""
    said = {"schema": '{"name": "password"}', "config": {"sasl.password": "hunter22"}, "n": "\ud800"}
    Recorder(tmp_path).recording(lambda _: Response(status=200, body=json.dumps(said).encode()))(request())

    answer = json.loads(Replay(tmp_path)(request()).body)

    assert answer == said | {"config": {"sasl.password": "********"}}


@pytest.mark.parametrize("second", ['"********"', "null", '""'])
def test_a_secret_in_a_member_that_is_there_twice_is_masked(tmp_path, second):
    """A parser keeps the last of two members; the text still holds the first."""
    text = f'{{"config": {{"sasl.password": "hunter22", "sasl.password": {second}}}}}'
    Recorder(tmp_path).recording(lambda _: Response(status=200, body=text.encode()))(request())

    assert b"hunter22" not in Replay(tmp_path)(request()).body


def test_body_that_is_a_schema_stays_byte_for_byte(tmp_path):
    """A field called password is no secret; an error that quotes one is."""
    text = b'{"properties": {"password": {"type": "string", "default": "hunter22"}}}'
    answers = iter([Response(status=200, body=text), Response(status=403, body=b'{"password": "hunter22"}')])
    live = Recorder(tmp_path).recording(lambda _: next(answers))
    for path in ("/text", "/refused"):
        live(replace(request(path), accept=AS_IS))
    replayed = Replay(tmp_path)

    assert replayed(request("/text")).body == text
    assert b"hunter22" not in replayed(request("/refused")).body


def test_no_file_holds_a_secret(tmp_path):
    """A capture is made to be given away."""
    live = Recorder(tmp_path).recording(lambda _: Response(status=200, headers={"authorization": "Basic hunter22"}))
    live(request("/x?api_key=hunter22"))
    live(
        Request(source=SOURCE, method="POST", url="http://u:hunter22@sr:8081/k", body="SET 'sasl.password'='hunter22';")
    )

    assert "hunter22" not in "".join(files(tmp_path).values())


def test_same_answers_give_the_same_files(tmp_path):
    """So that two captures can be compared."""
    for name in ("a", "b"):
        recorder = Recorder(tmp_path / name, cluster="retail", tool="1.0")
        for path in ("/subjects", "/subjects/a%2Fb-value/versions/1", "/" + "x" * 300):
            recorder.recording(lambda _: Response(status=200, body=b"[]"))(request(path))

    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert json.loads(files(tmp_path / "a")["capture.json"]) == {"format": 1, "cluster": "retail", "tool": "1.0"}


def test_repeated_request_replays_its_answers_in_order_and_then_the_last(tmp_path):
    """A page may change while it is read; the same answer twice is kept once."""
    bodies = [b"1", b"1", *(str(number).encode() for number in range(2, 13))]
    live = Recorder(tmp_path).recording(lambda _: Response(status=200, body=bodies.pop(0)))
    for _ in range(13):
        live(request())

    replay = Replay(tmp_path)

    assert [replay(request()).body for _ in range(14)] == [
        *(str(number).encode() for number in range(1, 13)),
        b"12",
        b"12",
    ]


@pytest.mark.parametrize("kind", [SourceUnreachable, SourceRefused, PayloadUnexpected])
def test_failure_to_answer_is_replayed_as_the_same_failure(tmp_path, kind):
    """A scan with a dead source can be looked at again."""

    def dead(_: Request) -> Response:
        raise kind("no answer: token=hunter22", where="GET x", hint="try again")

    with pytest.raises(kind):
        Recorder(tmp_path).recording(dead)(request())
    with pytest.raises(kind) as caught:
        Replay(tmp_path)(request())

    assert (caught.value.what, caught.value.hint) == ("no answer: token=********", "try again")


def test_replayed_refusal_is_read_like_a_live_one(tmp_path):
    """The mapping from answers to errors is in one place."""
    body = b'{"error_code": 40401, "message": "no subject"}'
    Recorder(tmp_path).recording(lambda _: Response(status=404, body=body))(request("/subjects/a"))

    http = Http(HttpSettings(url="http://sr:8081"), SOURCE, exchange=Replay(tmp_path))
    with pytest.raises(NotFound) as caught:
        http.get("subjects", "a")

    assert caught.value.code == 40401


def test_request_that_was_not_recorded_is_unreachable_and_named(tmp_path):
    """An older capture does not know what a newer program asks."""
    Recorder(tmp_path)

    with pytest.raises(SourceUnreachable) as caught:
        Replay(tmp_path)(request("/contexts"))

    assert "GET http://sr:8081/contexts is not in the capture" in caught.value.what
    assert str(tmp_path) in caught.value.where


def test_sources_and_bodies_are_distinguished(tmp_path):
    """Two ksqlDB clusters get the same POST; one cluster gets several."""
    live = Recorder(tmp_path).recording(
        lambda asked: Response(status=200, body=f"{asked.source} {asked.body}".encode())
    )
    asked = [Request(source=SourceId(s), method="POST", url="http://k/ksql", body=b) for s in "ab" for b in "xy"]
    recorded = [live(one).body for one in asked]

    replay = Replay(tmp_path)

    assert [replay(one).body for one in reversed(asked)] == recorded[::-1]


def test_capture_written_by_hand_may_name_its_files_freely(tmp_path):
    """Examples and bug reports are edited by people."""
    Recorder(tmp_path)
    directory = tmp_path / "schema_registry-http-sr-8081"
    directory.mkdir()
    content = {
        "request": {"method": "GET", "url": "http://sr:8081/subjects"},
        "status": 200,
        "headers": {},
        "body": "[]",
    }
    (directory / "subjects.json").write_text(json.dumps(content))

    assert Replay(tmp_path)(request()).body == b"[]"


def test_answers_are_not_read_before_they_are_requested(tmp_path):
    """A capture of a large registry has gigabytes of them; a request may also be longer than what is looked at."""
    Recorder(tmp_path)
    place = tmp_path / slug(SOURCE)
    place.mkdir()
    for name, path in (("broken", "/broken"), ("long", "/" + "x" * 20_000)):
        asked = {"method": "GET", "url": f"http://sr:8081{path}"}
        said = json.dumps({"request": asked, "status": 200, "headers": {}, "body": name})
        (place / f"{name}.json").write_text(said[:-10] if name == "broken" else said)
    replay = Replay(tmp_path)

    assert replay(request("/" + "x" * 20_000)).body == b"long"
    with pytest.raises(InputInvalid, match="not JSON"):
        replay(request("/broken"))


def test_documents_of_other_protocols_come_back(tmp_path):
    """The Kafka protocol is not HTTP."""
    recorder = Recorder(tmp_path)
    recorder.record_document(SOURCE, "topics", {"topics": ["a"], "sasl.password": "hunter22"})
    recorder.record_document(SOURCE, "Topics", 1)

    replay = Replay(tmp_path)

    assert replay.document(SOURCE, "topics") == {"topics": ["a"], "sasl.password": "********"}
    assert replay.document(SOURCE, "Topics") == 1
    with pytest.raises(SourceUnreachable):
        replay.document(SOURCE, "groups")


def test_threads_record_every_request(tmp_path):
    """A source is queried by many threads at once."""
    live = Recorder(tmp_path).recording(lambda asked: Response(status=200, body=asked.url.encode()))
    threads = [threading.Thread(target=live, args=(request(f"/{number % 20}"),)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(files(tmp_path)) == 21


def test_capture_is_never_mixed_with_an_older_one(tmp_path):
    """Its answers would be replayed as if they were of this scan."""
    Recorder(tmp_path)

    with pytest.raises(InputInvalid):
        Recorder(tmp_path)


def test_directory_that_cannot_be_written_is_reported(tmp_path):
    """The name of a file, here."""
    (tmp_path / "file").write_text("")

    with pytest.raises(InputInvalid) as caught:
        Recorder(tmp_path / "file" / "capture")

    assert "cannot be written" in caught.value.what


@pytest.mark.parametrize("manifest", [None, "{", "[]", '{"format": 2}', "\xff"])
def test_directory_that_is_no_capture_is_refused(tmp_path, manifest):
    """Before anything is queried of it."""
    if manifest is not None:
        (tmp_path / "capture.json").write_text(manifest, encoding="latin-1")

    with pytest.raises(InputInvalid):
        Replay(tmp_path)


@pytest.mark.parametrize("said", [{}, {"status": "200"}, {"status": 200, "headers": {}, "base64": "?"}])
def test_damaged_file_is_named(tmp_path, said):
    """Somebody edited it."""
    Recorder(tmp_path).recording(lambda _: Response(status=200))(request())
    (file,) = (path for path in tmp_path.rglob("*.json") if path.name != "capture.json")
    file.write_text(json.dumps({"request": {"method": "GET", "url": "http://sr:8081/subjects"}} | said))

    with pytest.raises(InputInvalid) as caught:
        Replay(tmp_path)(request())

    assert caught.value.where == str(file)


@pytest.mark.parametrize(
    ("name", "file"),
    [("GET subjects/a%2Fb", "get-subjects-a-2fb"), ("Заказы", "заказы"), ("../..", "root"), ("x" * 99, "x" * 60)],
)
def test_file_names_are_readable_and_stay_in_their_directory(name, file):
    """Clusters and topics are named in every script."""
    assert slug(name) == file


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("flink:" + "a" * 70 + "-1", "flink:" + "a" * 70 + "-2"),
        ("flink:sql:Shop", "flink:sql:shop"),
        ("flink:sql:a b", "flink:sql:a-b"),
        ("flink:sql:..", "flink:sql:/"),
    ],
)
def test_sources_with_similar_names_share_no_directory(tmp_path, one, other):
    """The later would replace what the earlier said, and a replay tell one source's facts of both."""
    recorder = Recorder(tmp_path)
    for name in (one, other):
        recorder.record_document(SourceId(name), "files", name)
    replay = Replay(tmp_path)

    assert [replay.document(SourceId(name), "files") for name in (one, other)] == [one, other]
    assert all(file.resolve().is_relative_to(tmp_path) for file in tmp_path.rglob("*"))


@pytest.mark.parametrize("where", ["capture.json", "source", "source/answer.json", "other"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_capture_with_links_or_pipes_is_refused(tmp_path, where, kind):
    """A capture from a stranger must neither read files beside it nor make the program wait."""
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    capture = tmp_path / "capture"
    (capture / "source").mkdir(parents=True)
    (capture / "capture.json").write_text('{"format": 1}')
    place = capture / where
    if place.is_dir():
        place.rmdir()
    place.unlink(missing_ok=True)
    if kind == "link":
        place.symlink_to(secret)
    else:
        os.mkfifo(place)

    with pytest.raises(InputInvalid) as caught:
        Replay(capture)
    assert caught.value.where == str(place)


def test_link_that_comes_after_the_capture_was_looked_through_is_not_followed(tmp_path):
    """Between looking and reading somebody may change a file."""
    Recorder(tmp_path / "capture").recording(lambda _: Response(status=200, body=b"[]"))(request())
    replay = Replay(tmp_path / "capture")
    (file,) = (tmp_path / "capture").glob("*/*.json")
    file.rename(tmp_path / "elsewhere.json")
    file.symlink_to(tmp_path / "elsewhere.json")

    with pytest.raises(InputInvalid):
        replay(request())


def test_link_in_the_place_of_a_clusters_capture_is_refused(tmp_path):
    """One of several clusters could lead out of the capture."""
    (tmp_path / "other").mkdir()
    (tmp_path / "capture").mkdir()
    (tmp_path / "capture" / directory_name("retail")).symlink_to(tmp_path / "other")

    with pytest.raises(InputInvalid):
        recorded_cluster(tmp_path / "capture", "retail")


def test_file_that_is_too_large_is_not_read(tmp_path):
    """A sparse file costs its sender nothing."""
    (tmp_path / "capture.json").write_bytes(b"{}")
    os.truncate(tmp_path / "capture.json", LARGEST + 1)

    with pytest.raises(InputInvalid, match="larger than"):
        Replay(tmp_path)


@pytest.mark.parametrize(
    "said",
    [
        {"status": 200, "headers": {"content-type": 5}, "body": "["},
        {"status": 200, "headers": {}, "body": 5},
        {"status": "200", "headers": {}, "body": ""},
        {"failure": {"kind": 5, "what": "x"}},
        {"failure": {"kind": "SourceRefused", "what": "x", "hint": {}}, "request": []},
    ],
)
def test_file_by_hand_with_other_types_is_damaged_or_read(tmp_path, said):
    """No file of a stranger ends in a defect of ours."""
    (tmp_path / "capture.json").write_text('{"format": 1}')
    place = tmp_path / directory_name(SOURCE)
    place.mkdir()
    asked = {"method": "GET", "url": "http://sr:8081/subjects"}
    (place / "a.json").write_text(json.dumps({"request": asked})[:-1] + ", " + json.dumps(said)[1:])

    with pytest.raises((InputInvalid, SourceRefused)):
        Replay(tmp_path)(request())
