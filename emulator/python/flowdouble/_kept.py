"""What is kept of a failed test: the recording of its world as a file, and its latest requests and messages."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from flowdouble._errors import FlowdoubleError
from flowdouble._gateway import Gateway
from flowdouble._real_server import RealServer
from flowdouble._world import World

_LATEST = 10
_MAX_LINE = 110
_MAX_NAME = 120


def recording_path(folder: Path, test: str, fixture: str) -> Path:
    """The file for the recording of a test: named after it, the same in each run."""
    name = re.sub(r"[^\w.]+", "-", test).strip("-")
    # Different parameters can have the same letters, and a file system has its limits.
    is_ambiguous = "[" in test or len(name) > _MAX_NAME
    digest = f"-{hashlib.sha1(test.encode()).hexdigest()[:8]}" if is_ambiguous else ""
    which = "" if fixture == "comfyui" else f"-{fixture}"
    return folder / f"{name[-_MAX_NAME:]}{digest}{which}.har"


def keep(world: World | Gateway, file: Path, shown_from: Path) -> str:
    """Writes the recording of a world, and returns what to print about it. Does not fail: a test has failed already."""
    if isinstance(world, RealServer):
        return f"{world.url} keeps no recording: it is a real server."
    try:
        _make_ignored(file.parent)
        world.save_recording(file)
        shown = _relative(file, shown_from)
        lines = [f"recording: {shown}", f"open it:   flowdouble check --trace {shlex.quote(shown)}"]
        lines += _section("latest requests", world.requests(), _request_line)
        if isinstance(world, World):
            lines += _section("latest messages", world.messages(), _message_line)
        else:
            lines += _section("latest deliveries", world.outbox(), _delivery_line)
        return "\n".join(lines)
    except (FlowdoubleError, OSError) as error:
        return f"There is no recording of {world.url}: {error}"


def _make_ignored(folder: Path) -> None:
    """Creates a folder that git does not list."""
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text("*\n")


def _relative(file: Path, start: Path) -> str:
    try:
        return os.path.relpath(file, start)
    except ValueError:  # on another drive
        return str(file)


def _section(title: str, items: Sequence[Any], line_of: Callable[[Any], str]) -> Iterable[str]:
    latest = items[-_LATEST:]
    more = f" (of {len(items)})" if len(items) > len(latest) else ""
    return [f"{title}{more}:", *(_cut(line_of(one)) for one in latest)] if latest else []


def _request_line(request: Any) -> str:
    path = request["path"]
    if request["query"]:
        path += "?" + "&".join(f"{name}={value}" for name, value in request["query"].items())
    run = f"  run {request['run']}" if request.get("run") else ""
    return f"  {request['status'] or 'open'}  {request['method']} {path}{run}"


def _message_line(message: Any) -> str:
    arrow = "->" if message["direction"] == "received" else "<-"
    return f"  {arrow} {message['type']} {json.dumps(message.get('data'))}"


def _delivery_line(delivery: Any) -> str:
    error = f" ({delivery['error']})" if delivery["error"] else ""
    return f"  {delivery['status']}{error}  {delivery['target']}: {delivery['text']!r}"


def _cut(line: str) -> str:
    return line if len(line) <= _MAX_LINE else f"{line[: _MAX_LINE - 1]}…"
