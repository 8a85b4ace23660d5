"""How one HTTP source is queried, against real servers in threads."""

from __future__ import annotations

import base64
import socket
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import EncodedSegment, Response
from scanner_extractor.settings.cluster import BasicAuth, BearerAuth, HttpSettings, Tls
from scanner_model.errors import (
    NotFound,
    PayloadUnexpected,
    ScannerError,
    SourceRefused,
    SourceUnreachable,
)
from scanner_model.names import SourceId

SOURCE = SourceId("test:source")


def failure(http: Http, kind: type[ScannerError], *segments: str):
    with pytest.raises(kind) as caught:
        http.get(*segments)
    return caught.value


@pytest.mark.parametrize(
    ("segment", "sent"),
    [
        ("a/b-value", "a%2Fb-value"),
        ("a#b+c%d e", "a%23b%2Bc%25d%20e"),
        (":.ctx:orders", "%3A.ctx%3Aorders"),
        ("заказы", "%D0%B7%D0%B0%D0%BA%D0%B0%D0%B7%D1%8B"),
        ("..", "%2E%2E"),
        (".", "%2E"),
        ("a%2Fb", "a%252Fb"),
        (EncodedSegment("a%2Fb"), "a%2Fb"),
        (7, "7"),
    ],
)
def test_segment_reaches_the_server_as_one_step_of_the_path(serve, reply, open_http, segment, sent):
    """A subject may hold any character; half-encoded, it names another subject."""
    targets = []
    url = serve(lambda seen: targets.append(seen.target) or reply(body=b"[]"))

    open_http(url + "/base/").get("subjects", segment, params=[("deleted", "true"), ("p", ":*:")])

    assert targets == [f"/base/subjects/{sent}?deleted=true&p=%3A%2A%3A"]


def test_raw_body_is_given_as_it_is(serve, reply, open_http):
    """A schema's text or an archive is no JSON."""
    url = serve(
        lambda seen: reply(status=404) if seen.target == "/no" else reply(body=b"PK\xff" + seen.target.encode())
    )
    http = open_http(url)

    assert http.raw("a b") == b"PK\xff/a%20b"
    with pytest.raises(NotFound):
        http.raw("no")


def test_post_sends_json_and_accepts_what_it_is_reported(serve, reply, open_http):
    """ksqlDB answers by media type."""
    seen = []
    url = serve(lambda request: seen.append(request) or reply(body=b'{"a": 1}'))

    answer = open_http(url).post("ksql", body={"ksql": "LIST ц;"}, accept="application/vnd.ksql.v1+json")

    assert answer == {"a": 1}
    assert seen[0].body == '{"ksql": "LIST ц;"}'.encode()
    assert (seen[0].headers["accept"], seen[0].headers["content-type"]) == (
        "application/vnd.ksql.v1+json",
        "application/json",
    )


@pytest.mark.parametrize(
    ("auth", "header"),
    [
        (BasicAuth(user="ü", password="p:w"), "Basic " + base64.b64encode("ü:p:w".encode()).decode()),
        (BearerAuth(token="t0ken"), "Bearer t0ken"),
        (None, None),
    ],
)
def test_credentials_are_sent_as_configured_and_only_then(serve, reply, open_http, auth, header, tmp_path, monkeypatch):
    """A netrc on the machine does not decide to log in here."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login other password other")
    monkeypatch.setenv("NETRC", str(netrc))
    seen = []
    url = serve(lambda request: seen.append(request.headers.get("authorization")) or reply())

    open_http(url, auth=auth).get("x")

    assert seen == [header]


def test_credentials_in_the_url_are_used_and_never_shown(serve, reply, open_http):
    """People paste such URLs; neither an error nor a repr may repeat them."""
    seen = []
    url = serve(lambda request: seen.append(request.headers.get("authorization")) or reply(status=404))
    http = open_http(url.replace("://", "://me:s%40cret@"))

    error = failure(http, NotFound, "x")

    assert seen == ["Basic " + base64.b64encode(b"me:s@cret").decode()]
    assert "cret" not in f"{error} {error!r} {error.where}"
    assert error.where == f"GET {url}/x"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_passing_failure_is_queried_again_with_growing_pauses(serve, reply, open_http, pauses, status):
    """Back-off of up to 1, 2, 4 seconds."""
    answers = [reply(status=status)] * 3 + [reply(body=b'"there"')]
    http = open_http(serve(lambda seen: answers.pop(0)))

    assert http.get("x") == "there"

    assert pauses.waits == [1, 2, 4]
    assert http.requests == 4


def test_failure_that_stays_is_unreachable_and_keeps_the_servers_reason(serve, reply, open_http):
    """A scan keeps what it knew, so this must not look like an answer."""
    http = open_http(serve(lambda seen: reply(status=500, body=b'{"error_code": 50001, "message": "store is down"}')))

    error = failure(http, SourceUnreachable, "x")

    assert "store is down" in error.what
    assert http.requests == 4


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"Retry-After": "7"}, [7]),
        ({"Retry-After": "86400"}, [60]),
        ({"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}, [60]),
        ({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, [1]),
        ({"Retry-After": "soon"}, [1]),
        ({"Retry-After": ""}, [1]),
        ({"X-RateLimit-Reset": "3"}, [3]),
    ],
)
def test_server_that_requests_a_pause_gets_it_within_reason(serve, reply, open_http, pauses, headers, waited):
    """Retry-After may be seconds, a date, or nonsense; a day is no pause for a scan."""
    answers = [reply(status=429, headers=headers), reply()]

    open_http(serve(lambda seen: answers.pop(0))).get("x")

    assert pauses.waits == waited


def test_dead_host_is_reported_in_plain_words(open_http, pauses):
    """Nobody knows what HTTPConnectionPool is, and object addresses help no one."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    http = open_http(f"http://127.0.0.1:{port}")

    error = failure(http, SourceUnreachable, "subjects")

    assert error.what == "connection refused, tried 4 times"
    assert error.where == f"GET http://127.0.0.1:{port}/subjects"
    assert pauses.waits == [1, 2, 4]


def test_unknown_host_is_reported_as_such(open_http):
    """`.invalid` never exists (RFC 2606)."""
    error = failure(open_http("http://registry.invalid"), SourceUnreachable, "x")

    assert error.what == "its host name is not known, tried 4 times"


@pytest.mark.parametrize("settings", [{"read_timeout": 0.05}])
def test_silent_server_is_given_up(open_http, settings):
    """A server that accepts and never answers must not hang the scan."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(8)
        error = failure(open_http(f"http://127.0.0.1:{silent.getsockname()[1]}", **settings), SourceUnreachable, "x")

    assert error.what == "no response within 0.05 seconds, tried 4 times"


def test_answer_that_stalls_in_the_middle_is_given_up(serve, open_http):
    """Bytes that stop coming are a timeout too, not a truncated payload."""
    with socket.socket() as half:
        half.bind(("127.0.0.1", 0))
        half.listen(8)
        kept = []

        def answer_half() -> None:
            while True:
                try:
                    connection = half.accept()[0]
                except OSError:
                    return
                kept.append(connection)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1")

        threading.Thread(target=answer_half, daemon=True).start()
        http = open_http(f"http://127.0.0.1:{half.getsockname()[1]}", read_timeout=0.05)
        error = failure(http, SourceUnreachable, "x")
        for connection in kept:
            connection.close()

    assert error.what.startswith("no response within 0.05 seconds")


def test_server_that_hangs_up_is_unreachable(serve, reply, open_http):
    """A crashed worker closes the connection without a byte."""
    error = failure(open_http(serve(lambda seen: reply(raw=b""))), SourceUnreachable, "x")

    assert error.what == "it closed the connection without a response, tried 4 times"


def test_plain_http_server_behind_https_is_reported_as_such(serve, reply, open_http, pauses):
    """The usual mistake in a URL; asking again would not mend it."""
    error = failure(open_http(serve(lambda seen: reply()).replace("http:", "https:")), SourceUnreachable, "x")

    assert "TLS" in error.what
    assert pauses.waits == []


def test_redirect_on_the_same_server_keeps_credentials_and_method(serve, reply, open_http):
    """A gateway that adds a path is still the gateway."""
    seen = []

    def handler(request):
        seen.append((request.method, request.target, "authorization" in request.headers, request.body))
        return reply() if request.target == "/new" else reply(status=307, headers={"Location": "/new"})

    open_http(serve(handler), auth=BearerAuth(token="t")).post("old", body=[1])

    assert seen == [("POST", "/old", True, b"[1]"), ("POST", "/new", True, b"[1]")]


def test_redirect_to_another_port_loses_credentials_and_headers(serve, reply, open_http):
    """Whoever can redirect us must not get our password."""
    seen = []
    other = serve(lambda request: seen.append(request.headers) or reply(body=b"[]"))
    url = serve(lambda request: reply(status=302, headers={"Location": other.replace("://", "://a:b@") + "/y"}))

    open_http(url, auth=BasicAuth(user="u", password="p"), headers={"X-Key": "k"}).get("x")

    assert not {"authorization", "x-key"} & set(seen[0])


@pytest.mark.parametrize(
    ("location", "says"),
    [("/x", "more than 5 times"), ("file:///etc/passwd", "not a web address"), ("http://[", "not a web address")],
)
def test_redirect_that_leads_nowhere_ends(answering, open_http, location, says):
    """A loop, a local file, and rubbish."""
    url = answering(status=301, headers={"Location": location})

    assert says in failure(open_http(url), PayloadUnexpected, "x").what


def test_redirect_without_a_target_is_unexpected(answering, open_http):
    """304 and 300 carry nothing to read."""
    assert "304" in failure(open_http(answering(status=304, body=b"")), PayloadUnexpected, "x").what


def test_rate_limit_spaces_requests(serve, reply, open_http, pauses):
    """Registries in the cloud lock out who asks faster."""
    http = open_http(serve(lambda seen: reply()), requests_per_second=4)

    for _ in range(3):
        http.get("x")

    assert pauses.waits == [0.25, 0.25]


def test_missing_certificate_file_is_reported_without_a_traceback(open_http, tmp_path: Path):
    """Paths in `tls` are checked early, but a file can vanish."""
    http = open_http("https://127.0.0.1:1", tls=Tls(ca=tmp_path / "no.pem"))

    assert failure(http, SourceUnreachable, "x").hint


def test_exchange_handed_in_replaces_the_network():
    """A replay and a test need no server, and pass through the same reading of answers."""
    with Http(HttpSettings(url="http://sr"), SOURCE, exchange=lambda request: Response(status=404)) as http:
        error = failure(http, NotFound, "a b")

    assert error.where == "GET http://sr/a%20b"
    assert http.requests == 1


def test_wrap_sees_the_network_and_may_answer_for_it(serve, reply):
    """A recorder stands between."""
    wrapped = []
    url = serve(lambda seen: reply(body=b"[1]"))
    wrap = lambda live: lambda request: wrapped.append(request) or live(request)  # noqa: E731

    with Http(HttpSettings(url=url), SOURCE, wrap=wrap) as http:
        assert http.get("x") == [1]

    assert [request.source for request in wrapped] == [SOURCE]


def test_wrap_sees_no_credentials_of_ours(answering):
    """What a server quotes must not get into a capture either."""
    kept = []
    url = answering(status=403, body=b'{"message": "bad hunter2 for u"}')
    wrap = lambda live: lambda request: kept.append(live(request)) or kept[-1]  # noqa: E731
    settings = HttpSettings(url=url, auth=BasicAuth(user="u", password="hunter2"))

    with Http(settings, SOURCE, wrap=wrap) as http:
        failure(http, SourceRefused, "x")

    assert b"hunter2" not in kept[0].body


def test_secrets_in_an_answer_reach_no_reader_and_schemas_stay(answering, open_http):
    """A live scan reads what its capture would tell."""
    told = b'{"params": {"kms.secret": "hunter2"}, "schema": "{\\"password\\": \\"string\\"}"}'

    assert open_http(answering(body=told)).get("x") == {
        "params": {"kms.secret": "********"},
        "schema": '{"password": "string"}',
    }


@pytest.mark.parametrize(
    "auth", [BasicAuth(user="u", password="hunter2-word"), BearerAuth(token="hunter2-word")], ids=["basic", "bearer"]
)
def test_our_credentials_are_hidden_in_answers_of_any_status_and_in_their_headers(serve, reply, auth):
    """A server that echoes what it was sent would have them in schemas, captures and error messages."""
    kept = []

    def echo(seen):
        login = seen.headers["authorization"]
        body = f'{{"you": "{login} hunter2-word \\u00fc", "key": "{seen.headers["x-own"]}"}}'.encode()
        return reply(body=body, headers={"Content-Type": f"application/json; of={login}", "ETag": "hunter2-word"})

    wrap = lambda live: lambda request: kept.append(live(request)) or kept[-1]  # noqa: E731
    settings = HttpSettings(url=serve(echo), auth=auth, headers={"X-Own": "hunter2-header"})
    with Http(settings, SOURCE, wrap=wrap) as http:
        http.get("x")

    login = base64.b64encode(b"u:hunter2-word")
    assert not [word for word in (b"hunter2", login) if word in repr(kept[0]).encode()]


def test_our_credentials_are_hidden_in_a_redirect_that_leads_nowhere(serve, reply):
    """The error names where the server wanted us to go."""
    url = serve(lambda seen: reply(status=302, headers={"Location": f"ftp://x/{seen.headers['authorization'][7:]}"}))

    with Http(HttpSettings(url=url, auth=BearerAuth(token="hunter2-word")), SOURCE) as http:
        assert "hunter2" not in str(failure(http, PayloadUnexpected, "x"))


def test_password_that_a_topic_may_be_called_like_changes_no_answer(serve, reply):
    """A schema with other bytes has another fingerprint."""
    settings = HttpSettings(url=serve(lambda _: reply(body=b'["orders", "connector"]')))
    for password in ("orders", "connector"):
        with Http(replace(settings, auth=BasicAuth(user="u", password=password)), SOURCE) as http:
            assert http.get("x") == ["orders", "connector"]


def test_names_of_secrets_of_the_user_are_hidden_in_answers(serve, reply):
    """A capture keeps what a reader reads."""
    url = serve(lambda _: reply(body=b'{"cipher.seed": "ab", "x": 1}'))

    with Http(HttpSettings(url=url, secret_names=frozenset({"cipher.seed"})), SOURCE) as http:
        assert http.get("x") == {"cipher.seed": "********", "x": 1}


def test_members_that_an_answer_has_twice_are_problems_with_their_positions(serve, reply, open_http):
    """The last one is read, as most programs do; another program may read the first."""
    url = serve(lambda _: reply(body=b'{"topics": [1],\n "a": {"b": 1, "b": 2},\n "topics": [2]}'))
    http = open_http(url)

    value = http.get("x")

    assert value == {"topics": [2], "a": {"b": 2}}
    assert [(problem.where.partition("/x:")[2], problem.what) for problem in http.problems] == [
        ("2:21 $.a.b", "'b' is written twice"),
        ("3:12 $.topics", "'topics' is written twice"),
    ]
