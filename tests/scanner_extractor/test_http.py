"""How one HTTP source is asked, against real servers in threads."""

from __future__ import annotations

import base64
import gzip
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scanner_extractor.exchange import Answer
from scanner_extractor.http import Http
from scanner_extractor.rate import Clock
from scanner_extractor.settings import BasicAuth, BearerAuth, HttpSettings, OAuthAuth, Tls
from scanner_model.errors import (
    NotFound,
    PayloadUnexpected,
    ScannerError,
    SourceObjected,
    SourceRefused,
    SourceUnreachable,
)
from scanner_model.names import SourceId

SOURCE = SourceId("test:source")


class Pauses:
    """A clock that only notes how long it was to wait; what is drawn is the longest possible."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.time = 0.0

    def clock(self) -> Clock:
        return Clock(now=lambda: self.time, pause=self._pause, draw=lambda low, high: high)

    def _pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def ask(pauses):
    """Open sources with a clock that does not wait, and close them with the test."""
    opened = []

    def start(url, **settings):
        opened.append(Http(HttpSettings(url=url, **settings), SOURCE, clock=pauses.clock()))
        return opened[-1]

    yield start
    for http in opened:
        http.close()


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
        (7, "7"),
    ],
)
def test_segment_reaches_the_server_as_one_step_of_the_path(serve, reply, ask, segment, sent):
    """A subject may hold any character; half-encoded, it names another subject."""
    targets = []
    url = serve(lambda seen: targets.append(seen.target) or reply(body=b"[]"))

    ask(url + "/base/").get("subjects", segment, params=[("deleted", "true"), ("p", ":*:")])

    assert targets == [f"/base/subjects/{sent}?deleted=true&p=%3A%2A%3A"]


def test_raw_body_is_given_as_it_is(serve, reply, ask):
    """A schema's text or an archive is no JSON."""
    url = serve(
        lambda seen: reply(status=404) if seen.target == "/no" else reply(body=b"PK\xff" + seen.target.encode())
    )
    http = ask(url)

    assert http.raw("a b") == b"PK\xff/a%20b"
    with pytest.raises(NotFound):
        http.raw("no")


def test_post_sends_json_and_accepts_what_it_is_told(serve, reply, ask):
    """ksqlDB answers by media type."""
    seen = []
    url = serve(lambda request: seen.append(request) or reply(body=b'{"a": 1}'))

    answer = ask(url).post("ksql", body={"ksql": "LIST ц;"}, accept="application/vnd.ksql.v1+json")

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
def test_credentials_are_sent_as_configured_and_only_then(serve, reply, ask, auth, header, tmp_path, monkeypatch):
    """A netrc on the machine is nobody's decision to log in here."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login other password other")
    monkeypatch.setenv("NETRC", str(netrc))
    seen = []
    url = serve(lambda request: seen.append(request.headers.get("authorization")) or reply())

    ask(url, auth=auth).get("x")

    assert seen == [header]


def test_credentials_in_the_url_are_used_and_never_shown(serve, reply, ask):
    """People paste such URLs; neither an error nor a repr may repeat them."""
    seen = []
    url = serve(lambda request: seen.append(request.headers.get("authorization")) or reply(status=404))
    http = ask(url.replace("://", "://me:s%40cret@"))

    error = failure(http, NotFound, "x")

    assert seen == ["Basic " + base64.b64encode(b"me:s@cret").decode()]
    assert "cret" not in f"{error} {error!r} {error.where}"
    assert error.where == f"GET {url}/x"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_passing_failure_is_asked_again_with_growing_pauses(serve, reply, ask, pauses, status):
    """Back-off of up to 1, 2, 4 seconds."""
    answers = [reply(status=status)] * 3 + [reply(body=b'"there"')]
    http = ask(serve(lambda seen: answers.pop(0)))

    assert http.get("x") == "there"

    assert pauses.waits == [1, 2, 4]
    assert http.requests == 4


def test_failure_that_stays_is_unreachable_and_keeps_the_servers_reason(serve, reply, ask):
    """A scan keeps what it knew, so this must not look like an answer."""
    http = ask(serve(lambda seen: reply(status=500, body=b'{"error_code": 50001, "message": "store is down"}')))

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
def test_server_that_asks_for_a_pause_gets_it_within_reason(serve, reply, ask, pauses, headers, waited):
    """Retry-After may be seconds, a date, or nonsense; a day is no pause for a scan."""
    answers = [reply(status=429, headers=headers), reply()]

    ask(serve(lambda seen: answers.pop(0))).get("x")

    assert pauses.waits == waited


def test_dead_host_is_told_in_plain_words(ask, pauses):
    """Nobody knows what HTTPConnectionPool is, and object addresses help no one."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    http = ask(f"http://127.0.0.1:{port}")

    error = failure(http, SourceUnreachable, "subjects")

    assert error.what == "connection refused, tried 4 times"
    assert error.where == f"GET http://127.0.0.1:{port}/subjects"
    assert pauses.waits == [1, 2, 4]


def test_unknown_host_is_told_as_such(ask):
    """`.invalid` never exists (RFC 2606)."""
    error = failure(ask("http://registry.invalid"), SourceUnreachable, "x")

    assert error.what == "its host name is not known, tried 4 times"


@pytest.mark.parametrize("settings", [{"read_timeout": 0.05}])
def test_silent_server_is_given_up(ask, settings):
    """A server that accepts and never answers must not hang the scan."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(8)
        error = failure(ask(f"http://127.0.0.1:{silent.getsockname()[1]}", **settings), SourceUnreachable, "x")

    assert error.what == "no answer within 0.05 seconds, tried 4 times"


def test_answer_that_stalls_in_the_middle_is_given_up(serve, ask):
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
        http = ask(f"http://127.0.0.1:{half.getsockname()[1]}", read_timeout=0.05)
        error = failure(http, SourceUnreachable, "x")
        for connection in kept:
            connection.close()

    assert error.what.startswith("no answer within 0.05 seconds")


def test_server_that_hangs_up_is_unreachable(serve, reply, ask):
    """A crashed worker closes the connection without a byte."""
    error = failure(ask(serve(lambda seen: reply(raw=b""))), SourceUnreachable, "x")

    assert error.what == "it closed the connection without an answer, tried 4 times"


def test_plain_http_server_behind_https_is_told_as_such(serve, reply, ask, pauses):
    """The usual mistake in a URL; asking again would not mend it."""
    error = failure(ask(serve(lambda seen: reply()).replace("http:", "https:")), SourceUnreachable, "x")

    assert "TLS" in error.what
    assert pauses.waits == []


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n[1, 2",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1, 2\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[1, 2\r\n",
    ],
    ids=["short", "cut chunk", "broken chunk"],
)
def test_truncated_answer_is_never_taken_for_a_whole_one(serve, reply, ask, pauses, raw):
    """It is asked again first: connections break."""
    error = failure(ask(serve(lambda seen: reply(raw=raw))), PayloadUnexpected, "x")

    assert "broke off" in error.what
    assert len(pauses.waits) == 3


def test_truncated_answer_that_is_whole_the_second_time_is_read(serve, reply, ask):
    """One broken connection is no reason to lose a registry."""
    answers = [reply(body=b"[1", announced=9), reply(body=b"[1]")]

    assert ask(serve(lambda seen: answers.pop(0))).get("x") == [1]


def test_gzip_bomb_is_stopped_early(serve, reply, ask):
    """A few kilobytes may inflate to gigabytes; the limit counts what comes out."""
    bomb = gzip.compress(b"[" + b" " * 50_000_000 + b"]")
    url = serve(lambda seen: reply(body=bomb, headers={"Content-Encoding": "gzip"}))

    error = failure(ask(url, max_bytes=1_000_000), PayloadUnexpected, "x")

    assert "larger than 1000000 bytes" in error.what
    assert "max_bytes" in error.hint


def test_gzip_answer_is_inflated_and_a_false_one_reported(serve, reply, ask):
    """Proxies compress, and some only say so."""
    answers = [gzip.compress(b"[1]"), b"[1]"]
    url = serve(lambda seen: reply(body=answers.pop(0), headers={"Content-Encoding": "gzip"}))
    http = ask(url)

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
def test_answer_that_is_not_json_names_url_type_and_beginning(serve, reply, ask, body, kind, says):
    """A login page with status 200 is the commonest misconfiguration."""
    url = serve(lambda seen: reply(body=body, headers={"Content-Type": kind}))

    error = failure(ask(url), PayloadUnexpected, "x")

    assert says in error.what
    assert kind in error.what
    assert error.where == f"GET {url}/x"
    assert len(error.what) < 250


def test_beginning_of_a_strange_answer_hides_secrets(serve, reply, ask):
    """An echo of a configuration must not end in a log."""
    url = serve(lambda seen: reply(body=b'db.password="hunter22" and more', headers={}))

    assert "hunter22" not in str(failure(ask(url), PayloadUnexpected, "x"))


def test_byte_order_mark_is_no_part_of_json(serve, reply, ask):
    """Some gateways add one."""
    assert ask(serve(lambda seen: reply(body=b"\xef\xbb\xbf[1]"))).get("x") == [1]


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
def test_refusal_is_classified_by_status_whatever_the_body(serve, reply, ask, status, body, kind, code, message):
    """Bodies come in six shapes; the status is the one thing that all servers share."""
    error = failure(ask(serve(lambda seen: reply(status=status, body=body))), kind, "x")

    assert (error.status, error.code) == (status, code)
    assert message in error.what


@pytest.mark.parametrize(
    ("status", "body", "message", "hint"),
    [
        (401, b'{"message":"Unauthorized"}', "Unauthorized", "auth.basic"),
        (401, b'{"error":"invalid_token","reason":"expired"}', "expired", "auth.basic"),
        (403, b"<html>no</html>", "", "right"),
        (407, b"", "", "proxy"),
    ],
)
def test_refused_access_says_which_credential_or_right(serve, reply, ask, status, body, message, hint):
    """A 401 and a 403 send an operator to different places."""
    http = ask(serve(lambda seen: reply(status=status, body=body)), auth=BasicAuth(user="u", password="pw12"))

    error = failure(http, SourceRefused, "x")

    assert message in error.what
    assert hint in error.hint
    assert http.requests == 1


def test_server_that_quotes_our_password_does_not_get_it_into_the_error(serve, reply, ask):
    """Some servers say `wrong password X`."""
    http = ask(
        serve(lambda seen: reply(status=401, body=b'{"message": "bad hunter2 for u"}')),
        auth=BasicAuth(user="u", password="hunter2"),
    )

    assert "hunter2" not in str(failure(http, SourceRefused, "x"))


def test_redirect_on_the_same_server_keeps_credentials_and_method(serve, reply, ask):
    """A gateway that adds a path is still the gateway."""
    seen = []

    def handler(request):
        seen.append((request.method, request.target, "authorization" in request.headers, request.body))
        return reply() if request.target == "/new" else reply(status=307, headers={"Location": "/new"})

    ask(serve(handler), auth=BearerAuth(token="t")).post("old", body=[1])

    assert seen == [("POST", "/old", True, b"[1]"), ("POST", "/new", True, b"[1]")]


def test_redirect_to_another_port_loses_credentials_and_headers(serve, reply, ask):
    """Whoever can redirect us must not get our password."""
    seen = []
    other = serve(lambda request: seen.append(request.headers) or reply(body=b"[]"))
    url = serve(lambda request: reply(status=302, headers={"Location": other.replace("://", "://a:b@") + "/y"}))

    ask(url, auth=BasicAuth(user="u", password="p"), headers={"X-Key": "k"}).get("x")

    assert not {"authorization", "x-key"} & set(seen[0])


@pytest.mark.parametrize(
    ("location", "says"),
    [("/x", "more than 5 times"), ("file:///etc/passwd", "no web address"), ("http://[", "no web address")],
)
def test_redirect_that_leads_nowhere_ends(serve, reply, ask, location, says):
    """A loop, a local file, and rubbish."""
    url = serve(lambda seen: reply(status=301, headers={"Location": location}))

    assert says in failure(ask(url), PayloadUnexpected, "x").what


def test_redirect_without_a_target_is_unexpected(serve, reply, ask):
    """304 and 300 carry nothing to read."""
    assert "304" in failure(ask(serve(lambda seen: reply(status=304, body=b""))), PayloadUnexpected, "x").what


class TokenServer:
    """Hands out numbered tokens; the API takes the newest only."""

    def __init__(self, reply, **answer) -> None:
        self.reply, self.answer, self.forms, self.issued = reply, answer, [], 0

    def token(self, seen):
        self.forms.append((seen.headers.get("authorization", ""), seen.body.decode()))
        self.issued += 1
        body = f'{{"access_token": "t{self.issued}", "expires_in": 100}}'.encode()
        return self.reply(**({"body": body} | self.answer))

    def api(self, seen):
        return self.reply(status=200 if seen.headers.get("authorization") == f"Bearer t{self.issued}" else 401)


def oauth(url: str) -> OAuthAuth:
    return OAuthAuth(token_url=url, client_id="me", client_secret="s3cret!", scope="read")


def test_oauth_token_is_fetched_once_for_all_threads_and_again_before_it_expires(serve, reply, ask, pauses):
    """A token server has limits too."""
    tokens = TokenServer(reply)
    http = ask(serve(tokens.api), auth=oauth(serve(tokens.token)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(http.get, "abcdefgh"))
    pauses.time += 95
    http.get("x")

    assert [form for _, form in tokens.forms] == ["grant_type=client_credentials&scope=read"] * 2


def test_oauth_token_that_was_revoked_is_renewed_once(serve, reply, ask):
    """A restarted identity server forgets its tokens."""
    tokens = TokenServer(reply)
    http = ask(serve(tokens.api), auth=oauth(serve(tokens.token)))
    http.get("x")
    tokens.issued += 1

    http.get("x")

    assert len(tokens.forms) == 2


def test_oauth_client_may_log_in_by_form_only(serve, reply, ask):
    """RFC 6749 section 2.3.1 lets a server choose."""
    seen = []

    def token(request):
        seen.append(request.body.decode())
        return reply(body=b'{"access_token": "t", "expires_in": "60"}', status=200 if "client_id" in seen[-1] else 401)

    ask(serve(lambda request: reply()), auth=oauth(serve(token))).get("x")

    assert "client_secret=s3cret%21" in seen[-1]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"status": 400, "body": b'{"error": "invalid_client"}'}, SourceRefused),
        ({"status": 503}, SourceUnreachable),
        ({"body": b'{"token": 1}'}, PayloadUnexpected),
        ({"body": b"<html>"}, PayloadUnexpected),
    ],
)
def test_token_that_cannot_be_had_is_reported_without_the_secret(serve, reply, ask, answer, kind):
    """The error is about the token endpoint, so it names it."""
    tokens = TokenServer(reply, **answer)
    url = serve(tokens.token)

    error = failure(ask(serve(tokens.api), auth=oauth(url)), kind, "x")

    assert url in error.where
    assert "s3cret" not in str(error)


def test_rate_limit_spaces_requests(serve, reply, ask, pauses):
    """Registries in the cloud lock out who asks faster."""
    http = ask(serve(lambda seen: reply()), requests_per_second=4)

    for _ in range(3):
        http.get("x")

    assert pauses.waits == [0.25, 0.25]


def test_missing_certificate_file_is_told_without_a_traceback(ask, tmp_path: Path):
    """Paths in `tls` are checked early, but a file can vanish."""
    http = ask("https://127.0.0.1:1", tls=Tls(ca=tmp_path / "no.pem"))

    assert failure(http, SourceUnreachable, "x").hint


def test_exchange_handed_in_replaces_the_network():
    """A replay and a test need no server, and pass through the same reading of answers."""
    with Http(HttpSettings(url="http://sr"), SOURCE, exchange=lambda request: Answer(status=404)) as http:
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


def test_wrap_sees_no_credentials_of_ours(serve, reply):
    """What a server quotes must not get into a capture either."""
    kept = []
    url = serve(lambda seen: reply(status=403, body=b'{"message": "bad hunter2 for u"}'))
    wrap = lambda live: lambda request: kept.append(live(request)) or kept[-1]  # noqa: E731
    settings = HttpSettings(url=url, auth=BasicAuth(user="u", password="hunter2"))

    with Http(settings, SOURCE, wrap=wrap) as http:
        failure(http, SourceRefused, "x")

    assert b"hunter2" not in kept[0].body


def test_secrets_in_an_answer_reach_no_reader_and_schemas_stay(serve, reply, ask):
    """A live scan reads what its capture would tell."""
    told = b'{"params": {"kms.secret": "hunter2"}, "schema": "{\\"password\\": \\"string\\"}"}'

    assert ask(serve(lambda seen: reply(body=told))).get("x") == {
        "params": {"kms.secret": "********"},
        "schema": '{"password": "string"}',
    }
