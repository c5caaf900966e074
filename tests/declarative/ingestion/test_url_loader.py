"""URLs: what is fetched, what is refused, and what no server can do to us (S61, S66)."""

import gzip
import socket
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo import ConfigurationError, InvalidArgumentError, SourceLoadingError
from octavo.declarative import DispatchContext
from octavo.declarative.ingestion.addresses import is_public
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.loading import load_documents
from octavo.declarative.ingestion.url_loader import UrlLoader
from octavo.declarative.ingestion.url_policy import UrlPolicy
from octavo.declarative.runtime.request_token import RequestToken
from octavo.errors import CancelledError, RetrievalTimeoutError
from octavo.spi import CancellationToken

LOCAL = UrlPolicy(allow_local_addresses=True, max_bytes=100_000, total_seconds=2, read_seconds=1)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers)))
        name = self.path.partition("?")[0].strip("/").replace("-", "_").replace(".", "_")
        getattr(self, name or "page", self.missing)()

    def answer(self, body, kind="text/html", status=200, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if kind:
            self.send_header("Content-Type", kind)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def missing(self):
        self.answer(b"no", status=404)

    def page(self):
        stamp = "Wed, 01 May 2024 10:00:00 GMT"
        self.answer(b"<title>T</title><p>Hello", Last_Modified=stamp)

    def docs_json(self):
        self.answer(b'[{"id": 1, "text": "one"}]', "application/json")

    def untold_md(self):
        self.answer(b"# Title\n\ntext", "text/plain; charset=utf-8")

    def latin(self):
        self.answer("<p>é".encode("latin1"), "text/html; charset=latin1")

    def unknown_charset(self):
        self.answer(b"x", "text/plain; charset=klingon")

    def image(self):
        self.answer(b"GIF89a", "image/gif")

    def zipped(self):
        self.answer(gzip.compress(b"<p>zipped"), Content_Encoding="gzip")

    def members(self):
        body = gzip.compress(b"<p>one ") + gzip.compress(b"two") + bytes(9)
        self.answer(body, Content_Encoding="gzip")

    def deflated(self):
        self.answer(zlib.compress(b"<p>deflated"), Content_Encoding="deflate")

    def cut(self):
        self.answer(gzip.compress(b"<p>zipped" * 99)[:-9], Content_Encoding="gzip")

    def brotli(self):
        self.answer(b"x", Content_Encoding="br")

    def bomb(self):
        # Two gigabytes of zeros: after a full flush every megabyte is packed to the same bytes.
        packer = zlib.compressobj(9, wbits=31)
        first, block = (
            packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
        )
        self.answer(first + block * 2_000, Content_Encoding="gzip")

    def to_page(self):
        self.answer(b"", status=302, Location="/page")

    def to_file(self):
        self.answer(b"", status=302, Location="file:///etc/passwd")

    def round_and_round(self):
        self.answer(b"", status=307, Location="/round-and-round")

    def endless(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.drip(b"1000\r\n" + b"x" * 4096 + b"\r\n", 0.0)

    def slow(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.drip(b"x", 0.05)

    def slow_head(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        self.drip(b"x", 0.05)

    def silent(self):
        self.server.stopped.wait(10)

    def drip(self, piece, pause):
        try:
            while not self.server.stopped.wait(pause):
                self.wfile.write(piece)
        except OSError:
            self.close_connection = True

    def log_message(self, *arguments):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Say nothing: most clients here hang up."""


@pytest.fixture(scope="module")
def server():
    """A local server, and what it was asked."""
    with Server(("127.0.0.1", 0), Handler) as running:
        running.seen = []
        running.stopped = threading.Event()
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.stopped.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def fetch(server, declared):
    """Loads a path of the local server."""

    def fetch_documents(path, policy=LOCAL, **members):
        url = f"http://127.0.0.1:{server.server_port}{path}"
        return list(load_documents(declared(url, type="URL", **members), [UrlLoader(policy)]))

    return fetch_documents


def test_a_page(fetch, server):
    (document,) = fetch("/page?x=1#part")
    assert document.content == "Hello"
    assert document.id == f"docs/127.0.0.1:{server.server_port}/page?x=1"
    assert document.metadata["source"] == f"http://127.0.0.1:{server.server_port}/page?x=1"
    assert document.metadata["temporal.timestamp"] == "2024-05-01T10:00:00Z"
    assert document.metadata["format"] == "HTML"


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [
        ("/docs.json", "one", "JSON"),
        ("/untold.md", "# Title\n\ntext", "MARKDOWN"),
        ("/latin", "é", "HTML"),
        ("/zipped", "zipped", "HTML"),
        ("/members", "one two", "HTML"),
        ("/deflated", "deflated", "HTML"),
        ("/to-page", "Hello", "HTML"),
    ],
)
def test_contents(fetch, path, content, kind):
    (document,) = fetch(path)
    assert (document.content, document.metadata["format"]) == (content, kind)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/nowhere", "expected status 200, found 404"),
        ("/image", "found image/gif"),
        ("/unknown-charset", "expected a known charset"),
        ("/cut", "expected a whole gzip body"),
        ("/brotli", "expected a body in gzip or deflate, found 'br'"),
        ("/bomb", "expected at most 100,000 bytes"),
        ("/endless", "expected at most 100,000 bytes"),
        ("/to-file", "expected redirects to http or https, found file:"),
        ("/round-and-round", "expected at most 5 redirects"),
        ("/silent", "fetching it failed"),
        ("/slow", "fetching it failed"),
        ("/slow-head", "fetching it failed"),
    ],
)
def test_failures(fetch, path, message):  # S66
    started = time.monotonic()
    with pytest.raises(SourceLoadingError, match=message) as caught:
        fetch(path)
    assert caught.value.reason == "SOURCE_LOADING"
    assert f"{path}: " in str(caught.value)
    assert time.monotonic() - started < 10  # a bound of hanging, not a timing


def test_a_declared_format_is_strict(fetch):
    with pytest.raises(ConfigurationError, match="expected JSON, found HTML"):
        fetch("/page", format="JSON")
    assert fetch("/page", format="HTML")


def test_nothing_listens(declared):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
        with pytest.raises(SourceLoadingError, match="fetching it failed"):
            list(load_documents(declared(url, type="URL"), [UrlLoader(LOCAL)]))


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://x/y", "x", "", "http://", "http://[x/"]
)
def test_other_schemes(declared, url):
    with pytest.raises(ConfigurationError, match="path: expected a URL"):
        list(load_documents(declared(url, type="URL")))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0",
        "10.0.0.1",
    ],
)
def test_local_addresses_are_refused_whatever_they_are_called(declared, host, server):
    asked = len(server.seen)
    with pytest.raises((ConfigurationError, SourceLoadingError)) as caught:
        list(load_documents(declared(f"http://{host}:{server.server_port}/page", type="URL")))
    assert "expected a public address" in str(caught.value) or "no address" in str(caught.value)
    assert len(server.seen) == asked


def test_a_redirect_to_a_local_address_is_refused(fetch, monkeypatch):
    # The first connection is judged public, the second is not.
    verdicts = iter([True])
    monkeypatch.setattr(
        "octavo.declarative.ingestion.url_transport.is_public",
        lambda address: next(verdicts, False),
    )
    with pytest.raises(ConfigurationError, match="expected a public address"):
        fetch("/to-page", UrlPolicy())


def test_the_address_that_was_judged_is_the_one_connected_to(declared, server, monkeypatch):
    # A name server that answers differently the second time is not asked a second time.
    answers = []
    real = socket.getaddrinfo

    def rebinding(host, *arguments, **options):
        if host == "rebinding.test":
            answers.append(host)
            host = "127.0.0.1" if len(answers) == 1 else "203.0.113.1"
        return real(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    url = f"http://rebinding.test:{server.server_port}/page"
    (document,) = load_documents(declared(url, type="URL"), [UrlLoader(LOCAL)])
    assert document.content == "Hello"
    assert answers == ["rebinding.test"]
    assert server.seen[-1][1]["Host"] == f"rebinding.test:{server.server_port}"


def test_a_password_is_used_and_not_shown(declared, server):
    url = f"http://ann:secret@127.0.0.1:{server.server_port}/page"
    (document,) = load_documents(declared(url, type="URL"), [UrlLoader(LOCAL)])
    assert server.seen[-1][1]["Authorization"].startswith("Basic ")
    assert "secret" not in f"{document}"
    missing = declared(url.replace("page", "nowhere"), type="URL")
    with pytest.raises(SourceLoadingError) as caught:
        list(load_documents(missing, [UrlLoader(LOCAL)]))
    assert "secret" not in str(caught.value)


def test_proxies_of_the_environment_are_not_used(fetch, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1/")
    assert fetch("/page")


def test_limits_hold_for_what_was_fetched(declared, server):
    url = f"http://127.0.0.1:{server.server_port}/page"
    loader = UrlLoader(LOCAL, IngestionLimits(file_bytes=5))
    with pytest.raises(SourceLoadingError, match="expected at most 5 bytes"):
        list(load_documents(declared(url, type="URL"), [loader]))


@pytest.mark.parametrize(
    ("address", "public"),
    [
        *(("8.8.8.8", True), ("2606:4700::1111", True), ("::ffff:8.8.8.8", True)),
        *(("64:ff9b::808:808", True), ("64:ff9b::7f00:1", False), ("2002:7f00:1::", False)),
        *(
            ("0.0.0.0", False),
            ("100.64.0.1", False),
            ("169.254.169.254", False),
            ("224.0.0.1", False),
        ),
        *(
            ("fe80::1%eth0", False),
            ("fc00::1", False),
            ("::", False),
            ("::127.0.0.1", False),
            ("x", False),
        ),
        *(("fec0::1", False), ("64:ff9b:1::7f00:1", False), ("::ffff:0:127.0.0.1", False)),
        *(("192.0.0.8", False), ("192.88.99.1", False), ("3fff::1", False), ("5f00::1", False)),
    ],
)
def test_public_addresses(address, public):
    assert is_public(address) is public


@given(st.ip_addresses(v=4))
def test_an_address_means_the_same_written_in_ipv6(address):
    assert is_public(f"::ffff:{address}") == is_public(str(address))
    assert is_public(f"64:ff9b::{address}") == is_public(str(address))


@pytest.mark.parametrize(
    "values", [{"max_bytes": 0}, {"read_seconds": 0}, {"total_seconds": float("nan")}]
)
def test_a_policy_is_checked(values):
    with pytest.raises(InvalidArgumentError, match=next(iter(values))):
        UrlPolicy(**values)


# S50
@pytest.mark.parametrize("ends", ["deadline", "cancelled"])
@pytest.mark.parametrize("path", ["/slow", "/silent"])
def test_a_fetch_ends_with_its_request(server, declared, path, ends):
    policy = UrlPolicy(allow_local_addresses=True, total_seconds=60, read_seconds=60)
    token = CancellationToken()
    context = DispatchContext(cancellation=token)
    if ends == "deadline":
        context = DispatchContext(deadline=time.monotonic() + 0.3)
    timer = threading.Timer(0.3, token.cancel)
    timer.start()
    source = declared(type="URL", path=f"http://127.0.0.1:{server.server_port}{path}")
    began = time.monotonic()
    with pytest.raises(CancelledError if ends == "cancelled" else RetrievalTimeoutError):
        list(load_documents(source, [UrlLoader(policy)], cancellation=RequestToken(context)))
    assert time.monotonic() - began < 30, "and not with its own sixty seconds"
    timer.join()
