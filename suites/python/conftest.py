"""What the tests of the package share: a server, a submit, and tests that run in an empty folder."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from flowdouble import Server, World

pytest_plugins = ["pytester"]
# They are tested where they are installed.
collect_ignore = [] if find_spec("comfyapi") else ["clients"]

TEXT = {"1": {"class_type": "PreviewAny", "inputs": {"source": "hello"}}}
"""A workflow without a picture."""


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A local server on a manual clock, with a gateway beside it."""
    with Server(clock="manual", gateway=True) as server:
        yield server


@pytest.fixture
def world(server: Server) -> Iterator[World]:
    """A world of it for the test alone."""
    with server.world() as world:
        yield world


@pytest.fixture
def submit() -> Callable[..., Any]:
    """Submits a workflow to a server as a client does, and returns the reply."""

    def submit(url: str, prompt: dict[str, Any] = TEXT, key: str | None = None) -> Any:
        headers = {"Content-Type": "application/json", **({"X-API-Key": key} if key else {})}
        path = "/api/prompt" if key else "/prompt"
        body = json.dumps({"prompt": prompt, "client_id": "a"}).encode()
        with urllib.request.urlopen(urllib.request.Request(url + path, body, headers)) as reply:
            return json.load(reply)

    return submit


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Runs a test file with the plugin as it is installed, in an empty folder."""

    def run(source: str, *arguments: str, subprocess: bool = False) -> pytest.RunResult:
        header = "import json, pytest\nfrom urllib.request import urlopen, Request\n"
        pytester.makepyfile(header + source)
        run = pytester.runpytest_subprocess if subprocess else pytester.runpytest_inprocess
        # Other plugins of this environment are not part of what is tried.
        return run("-p", "no:cacheprovider", "-p", "no:asyncio", *arguments)

    return run
