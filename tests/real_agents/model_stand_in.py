"""A stand-in for the models of real agents: it answers at once, on this machine, the same always.

It speaks what Codex (OpenAI's Responses), OpenCode (chat completions) and Claude Code (Anthropic's
Messages) speak. What it says is up to the test's script; without one it answers ``reply to`` and
the last line of the prompt.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, TypeAlias, cast

import zstandard

Json: TypeAlias = "dict[str, Any]"

MODEL = "stand-in"
PROMPT = re.compile(r"\b(?:message|task) \d+\b")
"""What the prompts of a test that scripts them hold, and nothing that a program says by itself."""

INPUT_TOKENS, OUTPUT_TOKENS = 1_000, 20


@dataclass(frozen=True, slots=True)
class Asked:
    """The last prompt of the test's that a request holds, and what tools gave back since.

    Where nothing looks like one, it is the last line of the last prompt.
    """

    prompt: str
    outputs: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says: a text, or a tool to call with its arguments."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


Script: TypeAlias = Callable[[Asked], Reply]


def echo(asked: Asked) -> Reply:
    """What the model says where no test has another script."""
    return Reply(f"reply to {asked.prompt}" if asked.prompt else "reply")


@contextmanager
def model_stand_in(script: Script = echo) -> Generator[str]:
    """The address at which models are stood in for, while the context lasts."""

    class Handler(_Handler):
        said = staticmethod(script)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, name="model stand-in")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """One request; every answer ends its connection, so that none is left open."""

    said: ClassVar[Script]
    count: ClassVar[Iterator[int]] = iter(range(1, 1_000_000))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's word
        """Say nothing."""

    def do_HEAD(self) -> None:
        """Tell that somebody is there."""
        self._answer(b"")

    def do_GET(self) -> None:
        """Tell which models there are."""
        models = [{"id": MODEL, "object": "model"}]
        self._answer_json({"object": "list", "data": models, "models": []})

    def do_POST(self) -> None:
        """Reply to a conversation."""
        body = cast("Json", json.loads(self._body() or b"{}"))
        path, number = self.path.split("?")[0], next(self.count)
        match path.rsplit("/", 1)[-1]:
            case "responses":
                self._stream(_responses(body, self._reply(_asked_responses(body)), number))
            case "completions":
                reply = self._reply(_asked_chat(body))
                if body.get("stream"):
                    self._stream(_chat(reply, number))
                else:
                    self._answer_json(_whole_chat(reply, number))
            case "messages":
                reply = self._reply(_asked_messages(body))
                if body.get("stream"):
                    self._stream(_messages(body, reply, number))
                else:
                    self._answer_json(_message(body, reply, number))
            case _:
                self._answer_json({"input_tokens": INPUT_TOKENS})

    def _reply(self, events: Sequence[tuple[str, str]]) -> Reply:
        prompts = [text for kind, text in events if kind == "user"]
        last = prompts[-1].strip().splitlines() if prompts else []
        asked = Asked(last[-1] if last else "")
        for kind, text in events:
            found = PROMPT.findall(text)
            if kind == "user" and found:
                asked = Asked(found[-1])
            elif kind == "output":
                asked = Asked(asked.prompt, (*asked.outputs, text))
        return type(self).said(asked)

    def _body(self) -> bytes:
        content = b""
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while size := int(self.rfile.readline().split(b";")[0], 16):
                content += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "zstd":
            content = zstandard.ZstdDecompressor().decompressobj().decompress(content)
        return content

    def _answer(self, content: bytes, kind: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = True

    def _answer_json(self, value: Json) -> None:
        self._answer(json.dumps(value).encode())

    def _stream(self, events: Iterator[Json | str]) -> None:
        content = ""
        for event in events:
            if isinstance(event, dict) and "type" in event:
                content += f"event: {event['type']}\n"
            content += f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n"
        self._answer(content.encode(), "text/event-stream")


def _text(content: object) -> str:
    """All text in a message or an output, whatever its form."""
    match content:
        case str():
            return content
        case list():
            return "\n".join(_text(part) for part in cast("list[object]", content))
        case dict():
            parts = cast("Json", content)
            return _text(parts.get("text") or parts.get("content") or parts.get("output") or "")
        case _:
            return ""


def _asked_responses(body: Json) -> list[tuple[str, str]]:
    events: list[tuple[str, str]] = []
    for item in body.get("input", []):
        if item.get("type", "message") == "message" and item.get("role") == "user":
            events.append(("user", _text(item.get("content"))))
        elif str(item.get("type")).endswith("_output"):
            events.append(("output", _text(item.get("output"))))
    return events


def _asked_chat(body: Json) -> list[tuple[str, str]]:
    kinds = {"user": "user", "tool": "output"}
    return [
        (kinds[message["role"]], _text(message.get("content")))
        for message in body.get("messages", [])
        if message.get("role") in kinds
    ]


def _asked_messages(body: Json) -> list[tuple[str, str]]:
    events: list[tuple[str, str]] = []
    for message in body.get("messages", []):
        content = message.get("content")
        if message.get("role") != "user":
            continue
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            kind = "output" if block.get("type") == "tool_result" else "user"
            events.append((kind, _text(block)))
    return events


def _responses(body: Json, reply: Reply, number: int) -> Iterator[Json]:
    item: Json
    if reply.tool:
        item = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": reply.tool,
            "arguments": json.dumps(reply.arguments),
            "status": "completed",
            **_namespace(body, reply.tool),
        }
    else:
        said: Json = {"type": "output_text", "text": reply.text, "annotations": []}
        item = {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "status": "completed",
            "content": [said],
        }
    usage = {
        "input_tokens": INPUT_TOKENS,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": OUTPUT_TOKENS,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
    }
    response: Json = {"id": f"resp_{number}", "status": "completed", "output": [item]}
    yield {"type": "response.created", "response": {**response, "output": []}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": {**response, "usage": usage}}


def _namespace(body: Json, tool: str) -> Json:
    """Where a tool is one of several of a kind, the name of the kind."""
    offers: list[Json] = body.get("tools") or []
    for offered in offers:
        inside: list[Json] = offered.get("tools") or []
        if any(inner.get("name") == tool for inner in inside):
            return {"namespace": offered["name"]}
    return {}


def _calls(reply: Reply, number: int) -> list[Json]:
    called = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
    return [{"index": 0, "id": f"call_{number}", "type": "function", "function": called}]


def _usage() -> Json:
    total = INPUT_TOKENS + OUTPUT_TOKENS
    return {
        "prompt_tokens": INPUT_TOKENS,
        "completion_tokens": OUTPUT_TOKENS,
        "total_tokens": total,
    }


def _chat(reply: Reply, number: int) -> Iterator[Json | str]:
    chunk: Json = {
        "id": f"chat-{number}",
        "object": "chat.completion.chunk",
        "model": "mock-model",
    }
    delta: Json = {"role": "assistant", "content": reply.text}
    if reply.tool:
        delta["tool_calls"] = _calls(reply, number)
    why = "tool_calls" if reply.tool else "stop"
    yield {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    last: Json = {"index": 0, "delta": {}, "finish_reason": why}
    yield {**chunk, "choices": [last], "usage": _usage()}
    yield "[DONE]"


def _whole_chat(reply: Reply, number: int) -> Json:
    message = {"role": "assistant", "content": reply.text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {
        "id": f"chat-{number}",
        "object": "chat.completion",
        "choices": [choice],
        "usage": _usage(),
    }


def _message(body: Json, reply: Reply, number: int) -> Json:
    block: Json = {"type": "text", "text": reply.text}
    if reply.tool:
        given = dict(reply.arguments)
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": reply.tool, "input": given}
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [block],
        "stop_reason": "tool_use" if reply.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }


def _messages(body: Json, reply: Reply, number: int) -> Iterator[Json]:
    message = _message(body, reply, number)
    (block,) = message["content"]
    if reply.tool:
        begun: Json = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)}
    else:
        begun = {**block, "text": ""}
        delta = {"type": "text_delta", "text": reply.text}
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": begun}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": message["usage"]}
    yield {"type": "message_stop"}
