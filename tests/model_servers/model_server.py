"""A server on this machine that speaks the chat-completions protocol, and misbehaves on demand."""

import json
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def completion(text):
    message = {"role": "assistant", "content": text}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": choices}


def event(text, finish_reason=None, **delta):
    choices = [{"index": 0, "delta": {"content": text} | delta, "finish_reason": finish_reason}]
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps(chunk | {'choices': choices})}\n\n".encode()


class ChatServer:
    """What was asked, and what to answer: a function of the handler and the request, by turns."""

    def __init__(self, *answers):
        self.answers = list(answers) or [answer("Grounded.")]
        self.requests = []
        self.keys = []
        self.stopped = threading.Event()

    def turn(self, handler, body):
        self.requests.append(body)
        self.keys.append(handler.headers.get("authorization"))
        self.answers[min(len(self.requests), len(self.answers)) - 1](self, handler, body)

    @property
    def prompt(self):
        return self.requests[-1]["messages"][-1]["content"]

    @property
    def system(self):
        return self.requests[-1]["messages"][0]["content"]


def answer(text):
    def send(server, handler, body):
        if body.get("stream"):
            begin(handler, "text/event-stream")
            for word in text.split(" "):
                handler.wfile.write(event(word))
            handler.wfile.write(event(None, "stop"))
            handler.wfile.write(b"data: [DONE]\n\n")
        else:
            raw(json.dumps(completion(text)).encode())(server, handler, body)

    return send


def raw(payload, status=200, kind="application/json", headers=()):
    def send(server, handler, body):
        begin(handler, kind, status, [("Content-Length", str(len(payload))), *headers])
        handler.wfile.write(payload)

    return send


def endless(part, kind="application/json", status=200, pause=0.0):
    def send(server, handler, body):
        begin(handler, kind, status)
        while not server.stopped.is_set():
            handler.wfile.write(part)
            time.sleep(pause)

    return send


def hang(server, handler, body):
    server.stopped.wait(30)


def drop(server, handler, body):
    handler.close_connection = True


def begin(handler, kind, status=200, headers=()):
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    for name, value in headers:
        handler.send_header(name, value)
    handler.end_headers()


@contextmanager
def chat_server(*answers):
    state = ChatServer(*answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with suppress(OSError):  # the client has gone
                state.turn(self, body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        state.stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()
