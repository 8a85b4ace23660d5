"""What becomes of an answer: cut off, compressed, no JSON, refused."""

from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor
from traceback import walk_tb

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.settings.cluster import BasicAuth
from scanner_model.errors import (
    NotFound,
    PayloadUnexpected,
    ScannerError,
    SourceObjected,
    SourceRefused,
    SourceUnreachable,
)


def failure(http: Http, kind: type[ScannerError], *segments: str):
    with pytest.raises(kind) as caught:
        http.get(*segments)
    return caught.value


@pytest.mark.parametrize(
    ("raw", "came"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n[1, 2", "5 of 50"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n[" + b" " * 69_999, "70000 of 90000"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n", "0 of 50"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1, 2\r\n", "5"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[1\r\n9\r\n, 2", "5"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[1, 2\r\n", "0"),
    ],
    ids=["short", "short in its second piece", "nothing", "no end", "cut chunk", "broken chunk"],
)
def test_truncated_answer_is_never_taken_for_a_whole_one(serve, reply, open_http, pauses, raw, came):
    """It is queried again first: connections break. How much came says whether it is a limit in between."""
    error = failure(open_http(serve(lambda seen: reply(raw=raw))), PayloadUnexpected, "x")

    assert error.what == f"the response was truncated after {came} bytes, tried 4 times"
    assert len(pauses.waits) == 3


def test_truncated_answer_that_is_whole_the_second_time_is_read(serve, reply, open_http):
    """One broken connection is no reason to lose a registry."""
    answers = [reply(body=b"[1", announced=9), reply(body=b"[1]")]

    assert open_http(serve(lambda seen: answers.pop(0))).get("x") == [1]


def test_gzip_bomb_is_stopped_early(serve, reply, open_http):
    """A few kilobytes may inflate to gigabytes; the limit counts what comes out."""
    bomb = gzip.compress(b"[" + b" " * 50_000_000 + b"]")
    url = serve(lambda seen: reply(body=bomb, headers={"Content-Encoding": "gzip"}))

    error = failure(open_http(url, max_bytes=1_000_000), PayloadUnexpected, "x")

    assert "larger than 1000000 bytes" in error.what
    assert "max_bytes" in error.hint


def test_too_large_answer_leaves_no_memory_behind(serve, reply, open_http):
    """Many requests run in parallel, and their errors are kept: each would keep the bytes that it had read."""
    error = failure(open_http(serve(lambda seen: reply(body=b"[" * 3_000_000)), max_bytes=1_000_000), PayloadUnexpected)
    frames = (frame for frame, _ in walk_tb(error.__traceback__))

    assert not [name for frame in frames for name, value in frame.f_locals.items() if name == "parts" and value]


def test_large_answers_are_read_in_turn(serve, reply, open_http):
    """One that waits for another is read all the same."""
    http = open_http(serve(lambda seen: reply(body=b"[" + b" " * 20_000_000 + b"]")))
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: http.get("x"), range(3)))

    assert answers == [[], [], []]


def test_interim_answers_without_end_are_given_up(serve, reply, open_http):
    """The standard library reads one `100 Continue` after the other until the last answer comes."""
    raw = b"HTTP/1.1 100 Continue\r\n\r\n" * 30 + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"
    error = failure(open_http(serve(lambda seen: reply(raw=raw))), SourceUnreachable, "x")

    assert "interim" in str(error) or "without a response" in error.what


def test_a_few_interim_answers_are_skipped(serve, reply, open_http):
    """Servers may send them before any answer."""
    raw = b"HTTP/1.1 100 Continue\r\n\r\n" * 3
    raw += b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"

    assert open_http(serve(lambda seen: reply(raw=raw))).get("x") == []


def test_gzip_answer_is_inflated_and_a_false_one_reported(serve, reply, open_http):
    """Proxies compress, and some only say so."""
    answers = [gzip.compress(b"[1]"), b"[1]"]
    url = serve(lambda seen: reply(body=answers.pop(0), headers={"Content-Encoding": "gzip"}))
    http = open_http(url)

    assert http.get("x") == [1]
    assert "compressed" in failure(http, PayloadUnexpected, "x").what


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        (b"<!DOCTYPE html><title>Sign in</title>", "text/html", "a web page"),
        (b"", "application/json", "is empty"),
        (b"{'a': 1}", "application/json", "is not JSON"),
        ('{"a": "ü"}'.encode("latin-1"), "application/json", "is not UTF-8"),
        (b"[" * 100_000, "application/json", "nested too deeply"),
        (b"1" * 5000, "application/json", "is not JSON"),
    ],
)
def test_answer_that_is_not_json_names_url_type_and_beginning(answering, open_http, body, kind, says):
    """A login page with status 200 is the commonest misconfiguration."""
    url = answering(body=body, content_type=kind)

    error = failure(open_http(url), PayloadUnexpected, "x")

    assert says in error.what
    assert kind in error.what
    assert error.where == f"GET {url}/x"
    assert len(error.what) < 250


def test_beginning_of_a_strange_answer_hides_secrets(answering, open_http):
    """An echo of a configuration must not end in a log."""
    url = answering(body=b'db.password="hunter22" and more', content_type="")

    assert "hunter22" not in str(failure(open_http(url), PayloadUnexpected, "x"))


def test_byte_order_mark_is_no_part_of_json(answering, open_http):
    """Some gateways add one."""
    assert open_http(answering(body=b"\xef\xbb\xbf[1]")).get("x") == [1]


@pytest.mark.parametrize(
    ("status", "body", "kind", "code", "message"),
    [
        (404, b'{"error_code": 40401, "message": "Subject not found."}', NotFound, 40401, "Subject not found."),
        (404, b'"Not Found"', NotFound, 0, "Not Found"),
        (404, b"<html>nope</html>", NotFound, 0, ""),
        (405, b"", NotFound, 0, ""),
        (410, b"null", NotFound, 0, ""),
        (422, b'{"error_code": "42201", "message": "bad"}', SourceObjected, 42201, "bad"),
        (400, b'{"@type":"statement_error","error_code":40001,"message":"no"}', SourceObjected, 40001, "no"),
        (409, b'{"error":{"code":409,"message":"rebalance"}}', SourceObjected, 409, "rebalance"),
        (400, b'{"errors":[{"status":"400","detail":"bad page"}]}', SourceObjected, 0, "bad page"),
        (418, b'{"detail":"d","title":"t","status":418}', SourceObjected, 0, "d"),
    ],
)
def test_refusal_is_classified_by_status_whatever_the_body(answering, open_http, status, body, kind, code, message):
    """Bodies come in six shapes; the status is the one thing that all servers share."""
    error = failure(open_http(answering(status=status, body=body)), kind, "x")

    assert (error.status, error.code) == (status, code)
    assert message in error.what


@pytest.mark.parametrize(
    ("body", "hinted"),
    [
        (b"<html>nope</html>", True),
        (b'{"error_code":404,"message":"HTTP 404 Not Found"}', True),
        (b'{"status":404,"error":"Not Found","path":"/x"}', True),
        (b'{"errors":["Not found: /x"]}', True),
        (b'{"title":"Could not find resource for full path: http://h/x","status":404}', True),
        (b'{"error_code":40401,"message":"Subject not found."}', False),
        (b'{"error_code":40401,"message":"Not found"}', False),
        (b'{"error_code":404,"message":"Connector a not found"}', False),
        (b'{"errors":[{"status":"404","code":"resource_missing","detail":"no such environment"}]}', False),
    ],
)
def test_path_that_leads_nowhere_is_reported_with_what_to_check(answering, open_http, body, hinted):
    """A `url` with too much or too little of a path is the usual reason; an API that misses a thing names it."""
    error = failure(open_http(answering(status=404, body=body)), NotFound, "x")

    assert ("the path in `url`" in error.hint) == hinted


@pytest.mark.parametrize(
    ("status", "body", "message", "hint"),
    [
        (401, b'{"message":"Unauthorized"}', "Unauthorized", "auth.basic"),
        (401, b'{"error":"invalid_token","reason":"expired"}', "expired", "auth.basic"),
        (403, b"<html>no</html>", "", "right"),
        (407, b"", "", "proxy"),
    ],
)
def test_refused_access_states_which_credential_or_right(answering, open_http, status, body, message, hint):
    """A 401 and a 403 send an operator to different places."""
    http = open_http(answering(status=status, body=body), auth=BasicAuth(user="u", password="pw12"))

    error = failure(http, SourceRefused, "x")

    assert message in error.what
    assert hint in error.hint
    assert http.requests == 1


def test_server_that_quotes_our_password_does_not_get_it_into_the_error(answering, open_http):
    """Some servers say `wrong password X`."""
    http = open_http(
        answering(status=401, body=b'{"message": "bad hunter2 for u"}'),
        auth=BasicAuth(user="u", password="hunter2"),
    )

    assert "hunter2" not in str(failure(http, SourceRefused, "x"))


@pytest.mark.parametrize(("kind", "shown"), [("text/plain; charset=UTF-8", True), ("text/html", False)])
def test_plain_text_of_a_failure_is_its_reason(answering, open_http, kind, shown):
    """ClickHouse writes no JSON then; a web page is no reason, and no password is one either."""
    body = b"Code: 497. DB::Exception: scanner: Not enough privileges. password=zqSECRETzq (ACCESS_DENIED)\n"
    url = answering(status=403, body=body, content_type=kind)

    error = failure(open_http(url), SourceRefused, "x")

    assert ("Not enough privileges" in error.what) is shown
    assert "zqSECRETzq" not in str(error)
