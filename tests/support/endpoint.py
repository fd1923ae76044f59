"""A local HTTP server that speaks the protocol of chat completions, and misbehaves as it is ordered to."""

import json
import re
import threading
import time
from collections import deque
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-do-not-show-me-0123456789"
LEGAL = re.compile(r"^(?:LEGAL ACTIONS|ACCIONES LEGALES) \(\d+\)\n(.*?)\n\n", re.MULTILINE | re.DOTALL)


def legal(body):
    """Return the names of the legal actions in the last prompt of a request."""
    prompt = next(one["content"] for one in body["messages"] if "LEGAL" in one["content"] and one["role"] == "user")
    return LEGAL.search(prompt)[1].splitlines()


def first(body):
    """Answer with the first legal action."""
    return f"ACTION: {legal(body)[0]}"


def completion(text, finish="stop", prompt=100, answer=10, **message):
    """Return the body of an answer; `message` has further fields of its message."""
    usage = {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}


class Server:
    """The endpoint at `url`. `brain` maps the body of a request to a text, a body, or a function of the handler.

    `faults` come first, one a request: functions of the handler. `bodies` and `headers` are those of the requests.
    """

    def __init__(self, brain=first):
        self.brain, self.faults, self.bodies, self.headers = brain, deque(), [], []
        self.lock, self.now, self.most = threading.Lock(), 0, 0  # requests at the same time
        self.ended = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                with suppress(OSError):
                    server.answer(self)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def spec(self, options="", model="tiny"):
        """Return the name of the agent."""
        return f"llm:{model}@{self.url}{options and '?'}{options}"

    def answer(self, handler):
        """Answer one request."""
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self.lock:
            self.bodies.append(body)
            self.headers.append(dict(handler.headers))
            self.now += 1
            self.most = max(self.most, self.now)
            fault = self.faults.popleft() if self.faults else None
        found = fault if fault is not None else self.brain(body)
        with self.lock:
            self.now -= 1  # before the client can send its next request
        if callable(found):
            found(handler)
        else:
            say(handler, 200, completion(found) if isinstance(found, str) else found)


@contextmanager
def serving(brain=first):
    """Yield a running server."""
    server = Server(brain)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.http.shutdown()
        server.http.server_close()


def say(handler, status, body=b"", **headers):
    """Send one whole answer."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in {"Content_Type": "application/json", "Content_Length": len(content), **headers}.items():
        handler.send_header(name.replace("_", "-"), str(value))
    handler.end_headers()
    handler.wfile.write(content)


# Faults.


def status(number, body=b"", **headers):
    """Answer with a status."""
    return lambda handler: say(handler, number, body, **headers)


def slow(seconds):
    """Answer after some time."""

    def fault(handler):
        time.sleep(seconds)
        say(handler, 200, completion("ACTION: too late"))

    return fault


def dripping_headers(handler, byte=b"H"):
    """Send a byte now and then, without an end; for a minute, if the client listens so long."""
    for _ in range(3000):
        handler.wfile.write(byte)
        handler.wfile.flush()
        time.sleep(0.02)


def dripping(handler):
    """Send whole headers, and then the body as `dripping_headers` does."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    dripping_headers(handler, b" ")


def cut_in_body(handler):
    """End the connection in mid-body."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"mess')
    handler.close_connection = True


def hang_up(handler):
    """End the connection without an answer."""
    handler.close_connection = True


def endless(handler):
    """Send chunks without an end."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    chunk = b'{"choices": "' + b"x" * 65_536
    while True:
        handler.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")


def streaming(handler):
    """Stream the answer as events."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.end_headers()
    for word in ("ACTION", ": ", "pass"):
        event = {"choices": [{"delta": {"content": word}}]}
        handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
    handler.wfile.write(b"data: [DONE]\n\n")
    handler.close_connection = True


def huge_headers(handler):
    """Send headers of a megabyte."""
    say(handler, 200, completion("ACTION: none"), X_Long="x" * 2**20)


def compressed(handler):
    """Send a compressed body that was not requested."""
    import gzip

    say(handler, 200, gzip.compress(b" " * 10**6), Content_Encoding="gzip")
