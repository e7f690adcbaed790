"""The client of the Python package against the description of the control API: with nothing but the standard library.

`npm test` runs them with the Python that is there: `python3 -m unittest`. The others need pytest.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import socket
import subprocess
import sys
import typing
import unittest
import urllib.request
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

import flowdouble
from flowdouble import (
    AsyncGateway,
    AsyncServer,
    AsyncWorld,
    Gateway,
    Server,
    World,
    _http,
    _machine,
    types,
)
from flowdouble._options import camel, names_of

ROOT = Path(__file__).parents[2]
API = json.loads((ROOT / "spec/openapi.control.json").read_text("utf-8"))
PROMPT = {"1": {"class_type": "PreviewImage", "inputs": {"images": ["2", 0]}},
          "2": {"class_type": "EmptyImage", "inputs": {"width": 8, "height": 8, "batch_size": 1, "color": 0}}}  # fmt: skip


def submit(url: str) -> None:
    """Submits a workflow as a client does."""
    body = json.dumps({"prompt": PROMPT}).encode()
    urllib.request.urlopen(f"{url}/prompt", body).close()


def call_all(world: World) -> None:
    """Calls each method of a world, on a manual clock."""
    world.paths(), world.inspector(), world.health(), world.ready(), world.version(), world.openapi()
    world.clock(), world.snapshot("a")
    world.restore("a")
    submit(world.url)
    world.received(path="/prompt")
    world.advance(1)
    world.until("success")
    world.runs(), world.messages(), world.frames(), world.requests(path="/prompt")
    world.assert_requests(method="POST", times=1)
    world.journal(), world.explain(0), world.recording()
    world.unfault(world.fault(when={"path": "/queue"}, then={"status": 503}))
    world.faults(), world.drop()
    world.load("slow-answers")
    world.fork("b"), world.world(name="c"), world.world(name="c", reuse=True)
    assert world.world(name="d", saved=world.save("c")).runs() == []
    assert world.world(name="e", saved=world.save()).runs() != []
    world.list_worlds(), world.metrics()
    world.worlds()[0].close()
    world.reset()
    try:
        world.picture(0)
    except flowdouble.FlowdoubleError as error:
        assert error.status == 404, error


def call_all_of(gateway: Gateway) -> None:
    """Calls each method of a gateway that a world does not have."""
    gateway.subscribe("ci", {"secret": "of-the-sender", "prompt": "Build {status}"})
    gateway.fail_deliveries("telegram")
    gateway.outbox(), gateway.runs()
    gateway.unsubscribe("ci")
    asks = (gateway.stored_run, gateway.retry_run, gateway.cancel_run, gateway.drop_run)
    for ask in (gateway.stored_runs, *(functools.partial(one, "some/id") for one in asks)):
        try:
            ask()
        except flowdouble.FlowdoubleError as error:
            assert error.status == 409, error  # It has no store.


def fits(described: str, path: str) -> bool:
    """Whether a path of a server or of a world is a described one."""
    return re.fullmatch("(/w/[^/]+)?" + described.replace("{name}", "[^/]+"), path) is not None


def members_of(name: str) -> set[str]:
    """The members of a schema that the description of the API names."""
    return set(API["components"]["schemas"][name].get("properties", {}))


def public(one: type) -> dict[str, Any]:
    """The public members of a class, with those that its instances have."""
    declared = [name for base in one.__mro__ for name in inspect.get_annotations(base)]
    members = dict.fromkeys(declared) | dict(inspect.getmembers(one))
    return {name: value for name, value in members.items() if name[0] != "_"}


def parameters(function: Any) -> list[tuple[Any, ...]]:
    """The parameters of a function, as far as callers see them."""
    declared = inspect.signature(function).parameters.values()
    return [(one.name, one.kind, one.default, one.annotation) for one in declared]


class ControlApi(unittest.TestCase):
    """What the client knows is what the description says."""

    def test_every_path_is_reached(self) -> None:
        """Every method and path of openapi.control.json is reached by a method of the client."""
        described = {(method.upper(), path) for path, of in API["paths"].items() for method in of}
        sent: set[tuple[str, str]] = set()
        send = _http.send

        def recording(method: str, url: str, **more: Any) -> Any:
            path = urlsplit(url).path
            sent.update(one for one in described if one[0] == method and fits(one[1], path))
            return send(method, url, **more)

        with (
            mock.patch.object(_machine, "send", recording),
            Server(clock="manual", gateway=True) as server,
        ):
            call_all(server)
            assert server.gateway is not None
            call_all_of(server.gateway)
        self.assertEqual(described - sent, set())

    def test_types_have_the_members_of_the_schemas(self) -> None:
        """Each type has the members of its schema, with the same ones required."""
        schemas: dict[str, dict[str, Any]] = API["components"]["schemas"]
        named = {name[0].lower() + name[1:]: one for name, one in vars(types).items()}
        checked = []
        for name, schema in schemas.items():
            known = named.get(name)
            if known is None or not typing.is_typeddict(known):
                continue
            checked.append(name)
            self.assertEqual(
                known.__required_keys__ | known.__optional_keys__, members_of(name), name
            )
            self.assertEqual(known.__required_keys__, set(schema.get("required", [])), name)
        # A body that only errors have, bodies that methods take apart, and a text.
        others = {"controlError", "clockTarget", "awaitedRequests", "socketEnd"}
        self.assertEqual(set(schemas) - set(checked), others)

    def test_options_are_those_of_the_server(self) -> None:
        """A server has all options of the config file, and a world those that do not concern the address."""
        config = json.loads((ROOT / "spec/config.schema.json").read_text("utf-8"))
        self.assertEqual(
            {camel(name) for name in names_of(types.ServerOptions)},
            set(config["properties"]) - {"$schema"},
        )
        # What belongs to the address is refused before anything is sent.
        world: Any = World.at("http://127.0.0.1:9")
        of_worlds = {*names_of(types.WorldOptions), "port"}
        for name in set(names_of(types.ServerOptions)) - of_worlds:
            with self.subTest(name), self.assertRaisesRegex(TypeError, f"no option {name}"):
                world.world(**{name: None})


class Clients(unittest.TestCase):
    """Servers as children, and the async classes."""

    def test_async_classes_have_the_same_methods(self) -> None:
        """The async classes have the methods and properties of the sync ones, with the same parameters."""
        for sync, awaited in ((World, AsyncWorld), (Server, AsyncServer), (Gateway, AsyncGateway)):
            ours, theirs = public(sync), public(awaited)
            self.assertEqual(set(ours), set(theirs) - {"sync"}, sync)
            for name, one in ours.items():
                if not callable(one):
                    continue
                self.assertEqual(parameters(one), parameters(theirs[name]), f"{sync}.{name}")

    def test_a_server_is_used_and_stops(self) -> None:
        """A server answers, says how to use it, and is gone after the with statement."""
        with Server(clock="instant", seed=7) as server:
            submit(server.url)
            self.assertEqual([run["state"] for run in server.runs()], ["success"])
            with self.assertRaisesRegex(flowdouble.FlowdoubleError, "clock: 'manual'") as refused:
                server.advance(1)
            self.assertEqual(refused.exception.status, 409)
        with self.assertRaisesRegex(flowdouble.FlowdoubleError, "The server has ended with 0"):
            server.clock()

    def test_a_server_ends_with_its_parent(self) -> None:
        """A server whose parent is killed stops."""
        program = "import flowdouble; print(flowdouble.Server().start().url, flush=True); input()"
        words = [sys.executable, "-c", program]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
            assert parent.stdout is not None
            place = urlsplit(parent.stdout.readline().decode().strip())
            with socket.create_connection((place.hostname, place.port), timeout=20) as connection:
                parent.kill()
                # The server closes it when it stops; a server that stays lets this wait time out.
                self.assertEqual(connection.recv(1), b"")


if __name__ == "__main__":
    unittest.main()
