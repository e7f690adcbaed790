"""The fixtures of the suite of comfy-sdk, with a world of flowdouble in place of its stub server.

The runner puts this file in the place of the suite's own. One process serves all tests, each has worlds for itself. What
a test sets on `server.state` is loaded into its world as a scenario when the next request is sent.
"""

from __future__ import annotations

import json
import os

import httpx
import pytest
from script import KEYS, LIVE, MODEL_IDS, State
from script import job_body as _job_json  # noqa: F401  (the suite imports these two from here)
from script import output_body as _output_json  # noqa: F401

from comfy_sdk import API_KEY_ENV_VAR, BASE_URL_ENV_VAR, ROUTER_BASE_URL_ENV_VAR
from flowdouble import Server, _http as http

KEYLESS = ("test_auth_headers", "test_api_key", "test_transport_security", "test_content_redirect_security")
"""The modules whose tests choose the key themselves."""

outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report):
    """Notes the outcome of each test: that of its call, unless something else fails."""
    name = report.nodeid.removeprefix("tests/")
    if report.when == "call" or report.outcome != "passed":
        outcomes[name] = report.outcome


def pytest_sessionfinish():
    if file := os.environ.get("RESULTS"):
        with open(file, "w", encoding="utf-8") as out:
            json.dump(outcomes, out)


TYPES = {
    name: {
        "input": {"required": {}, "optional": optional},
        "output": [],
        "output_node": True,
        "name": name,
    }
    for name, optional in (("KSampler", {}), ("K", {}), ("LoadImage", {"image": ["STRING", {}]}))
}
STUBBED = {
    "version": 1,
    "types": TYPES,
    "modelTypes": {id: {"input": {"type": "object"}, "output": {}} for id in MODEL_IDS},
}


def make_server():
    """The one process. Its first world is for the tests that the suite has for a server of the vendor."""
    accounts = [
        {"user": f"user{number}", "keys": [key], "balance": 1_000_000}
        for number, key in enumerate(KEYS)
    ]
    return Server(deployment="hosted", accounts=accounts, scenario=LIVE, quirk=["hosted.v2-public-demo"])


ADDRESSES = (BASE_URL_ENV_VAR, ROUTER_BASE_URL_ENV_VAR)
started: list[Server] = []


def pytest_configure():
    """Those tests read their settings when they are collected."""
    started.append(make_server().start())
    os.environ.update({name: started[0].url for name in ADDRESSES})
    os.environ.update({API_KEY_ENV_VAR: KEYS[0], "COMFY_ROUTER_E2E": "1"})


def pytest_unconfigure():
    started.pop().stop()


class Double:
    """What the suite has as a server."""

    def __init__(self, world):
        self.world, self.base_url, self.state = world, world.url, State(world)


@pytest.fixture
def doubles(monkeypatch):
    """The servers of a test: the script of each is up to date when a request leaves."""
    found: list[Double] = []
    send, send_async = httpx.HTTPTransport.handle_request, httpx.AsyncHTTPTransport.handle_async_request

    def load(request):
        for one in found:
            one.state._load()
            # What is to be replayed runs a first time under its key.
            if one.state.model_run_replay_store.pop(request.headers.get("Idempotency-Key"), None):
                names = ("Authorization", "Content-Type", "Idempotency-Key")
                headers = {name: request.headers[name] for name in names}
                http.send("POST", str(request.url), body=request.content, headers=headers)

    def handle_request(self, request):
        load(request)
        return send(self, request)

    async def handle_async_request(self, request):
        load(request)
        return await send_async(self, request)

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", handle_request)
    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", handle_async_request)
    return found


@pytest.fixture
def start(doubles, request, monkeypatch):
    """Starts a server for this test."""
    worlds = []

    def one():
        options = {"quirk": []} if "unauthorized_when" in request.node.name else {}
        world = started[0].world(port=0, scenario=STUBBED, start_delay_ms=0, **options)
        worlds.append(world)
        double = Double(world)
        doubles.append(double)
        vars(double.state)["_forget_key"] = lambda: monkeypatch.delenv(API_KEY_ENV_VAR, raising=False)
        if "self_hosted" in request.node.name or "multi_output" in request.node.name:
            double.state.serves_content = True
        if "self_hosted" in request.node.name and "output" in request.node.name:
            double.state.job_outputs = [_output_json("3", "asset_out_01")]
        if "304" in request.node.name and "unconditional" not in request.node.name:
            double.state.knows_schema = True
        return double

    yield one
    for world in worlds:
        world.close()


@pytest.fixture(autouse=True)
def no_settings(monkeypatch, request):
    if "integration" in request.path.parts:
        return
    for name in (*ADDRESSES, API_KEY_ENV_VAR):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(start, monkeypatch, request, no_settings):
    double = start()
    monkeypatch.setenv(BASE_URL_ENV_VAR, double.base_url)
    monkeypatch.setenv(ROUTER_BASE_URL_ENV_VAR, double.base_url)
    if request.module.__name__ not in KEYLESS:
        monkeypatch.setenv(API_KEY_ENV_VAR, KEYS[0])
    return double


@pytest.fixture
def second_server(start):
    return start()
