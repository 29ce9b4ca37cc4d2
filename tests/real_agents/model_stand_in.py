"""A stand-in for the models of real agents: it answers at once, on this machine, the same always.

It speaks what Codex (OpenAI's Responses), OpenCode (chat completions) and Claude Code (Anthropic's
Messages) speak. To a prompt it answers ``reply to`` and the last line of that prompt.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

Json = dict[str, Any]  # what the programs send is theirs: as JSON gave it

MODEL = "stand-in"
USAGE_IN = 100
USAGE_OUT = 10


@contextmanager
def model_stand_in() -> Generator[str]:
    """The address at which models are stood in for, while the context lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = False
    thread = Thread(target=server.serve_forever, name="model stand-in")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def answer_to(prompt: str) -> str:
    """What the model says to a prompt."""
    return f"reply to {prompt.strip().splitlines()[-1]}" if prompt.strip() else "reply"


class _Handler(BaseHTTPRequestHandler):
    """One request; every answer ends its connection, so that none is left open."""

    def do_HEAD(self) -> None:
        self._send(b"")

    def do_GET(self) -> None:
        self._send_json({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        body: Json = json.loads(self._body())
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send_json({"input_tokens": USAGE_IN})
        elif path.endswith("/responses"):
            text = answer_to(_last_prompt(body["input"]))
            self._send_events(_responses(text))
        elif path.endswith("/chat/completions"):
            text = answer_to(_last_prompt(body["messages"]))
            self._chat(text, streamed=bool(body.get("stream")))
        else:
            text = answer_to(_last_prompt(body["messages"]))
            self._messages(text, streamed=bool(body.get("stream")))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing: what matters is what the program writes."""

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks: list[bytes] = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _chat(self, text: str, *, streamed: bool) -> None:
        usage = {
            "prompt_tokens": USAGE_IN,
            "completion_tokens": USAGE_OUT,
            "total_tokens": USAGE_IN + USAGE_OUT,
        }
        told: Json = {"id": "chat", "created": 0, "model": MODEL}
        message = {"role": "assistant", "content": text}
        if not streamed:
            choice: Json = {"index": 0, "message": message, "finish_reason": "stop"}
            self._send_json(
                told | {"object": "chat.completion", "choices": [choice], "usage": usage}
            )
            return
        told["object"] = "chat.completion.chunk"
        begun: Json = {"index": 0, "delta": message, "finish_reason": None}
        ended: Json = {"index": 0, "delta": {}, "finish_reason": "stop"}
        self._send_events(
            [
                (None, told | {"choices": [begun]}),
                (None, told | {"choices": [ended], "usage": usage}),
                (None, "[DONE]"),
            ]
        )

    def _messages(self, text: str, *, streamed: bool) -> None:
        usage = {"input_tokens": USAGE_IN, "output_tokens": USAGE_OUT}
        message: Json = {
            "id": f"msg_{abs(hash(text)):x}",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": usage,
        }
        if streamed:
            self._send_events(_message_events(message, text))
        else:
            self._send_json(message)

    def _send_events(self, events: Iterable[tuple[str | None, Json | str]]) -> None:
        lines = [
            *(
                (f"event: {name}\n" if name else "")
                + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
                for name, data in events
            )
        ]
        self._send("".join(lines).encode(), "text/event-stream")

    def _send_json(self, data: Json) -> None:
        self._send(json.dumps(data).encode())

    def _send(self, data: bytes, content_type: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True


def _last_prompt(messages: Iterable[Json]) -> str:
    texts = [
        _text(message.get("content")) for message in messages if message.get("role") == "user"
    ]
    return texts[-1] if texts else ""


def _text(content: str | list[Json] | None) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or () if "text" in block)


def _responses(text: str) -> Iterator[tuple[str, Json]]:
    content: Json = {"type": "output_text", "text": text, "annotations": []}
    item: Json = {"type": "message", "id": "msg", "role": "assistant", "status": "completed"}
    usage: Json = {
        "input_tokens": USAGE_IN,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": USAGE_OUT,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": USAGE_IN + USAGE_OUT,
    }
    response: Json = {"id": "resp", "status": "in_progress", "output": []}
    done: Json = item | {"content": [content]}
    events: list[tuple[str, Json]] = [
        ("response.created", {"response": response}),
        ("response.output_item.added", {"output_index": 0, "item": item | {"content": []}}),
        (
            "response.output_text.delta",
            {"item_id": "msg", "output_index": 0, "content_index": 0, "delta": text},
        ),
        ("response.output_item.done", {"output_index": 0, "item": done}),
        (
            "response.completed",
            {"response": response | {"status": "completed", "output": [done], "usage": usage}},
        ),
    ]
    for name, data in events:
        yield name, {"type": name} | data


def _message_events(message: Json, text: str) -> Iterator[tuple[str, Json]]:
    begun: Json = message | {"content": [], "stop_reason": None}
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    events: list[tuple[str, Json]] = [
        ("message_start", {"message": begun}),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": text}}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": delta, "usage": message["usage"]}),
        ("message_stop", {}),
    ]
    for name, data in events:
        yield name, {"type": name} | data
