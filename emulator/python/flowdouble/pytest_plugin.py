"""The pytest plugin: a world for each test, options by marker, and a recording of what failed.

| Fixture | What it is |
|---|---|
| `comfyui` | a local server for the test alone, at a separate port |
| `comfyui_hosted` | the same, hosted: with `api_key` |
| `webhook_gateway` | a webhook gateway for the test alone |
| `comfyui_options`, `webhook_gateway_options` | override these to set options for all tests of a folder or module |
| `comfyui_server`, `comfyui_hosted_server`, `webhook_gateway_server` | the processes, one of each for the whole run |
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from flowdouble._errors import FlowdoubleError
from flowdouble._gateway import Gateway
from flowdouble._kept import keep, recording_path
from flowdouble._options import names_of, require_known
from flowdouble._real_server import RealServer, require_realistic
from flowdouble._server import Server
from flowdouble._world import World
from flowdouble.types import GatewayOptions, WorldOptions

if TYPE_CHECKING:
    from pluggy import Result

_worlds = pytest.StashKey[dict[str, "World | Gateway"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the command line, and those of the configuration file."""
    group = parser.getgroup("flowdouble", "a test double for ComfyUI servers")
    group.addoption(
        "--flowdouble-url",
        metavar="URL",
        help="run the tests on the real server at this address; what only a double can do is skipped",
    )
    group.addoption(
        "--flowdouble-key",
        metavar="KEY",
        help="the API key of that server, which is hosted then",
    )
    group.addoption(
        "--flowdouble-output",
        metavar="DIR",
        help="the folder for the recordings of failed tests (default: flowdouble_output)",
    )
    parser.addini(
        "flowdouble_output",
        "the folder for the recordings of failed tests, below the root folder",
        default=".flowdouble",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declares the markers."""
    worlds, gateway = "the worlds of comfyui and comfyui_hosted", "the gateway of webhook_gateway"
    for name, of in (("comfyui", worlds), ("webhook_gateway", gateway)):
        config.addinivalue_line("markers", f"{name}(**options): options of {of} in this test.")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Result[pytest.TestReport], None]:
    """Keeps the recordings of a test that fails, while its worlds are still there."""
    report = (yield).get_result()
    if not report.failed or call.when == "teardown":
        return
    for fixture, world in (item.stash.get(_worlds, None) or {}).items():
        file = recording_path(_output(item.config), item.nodeid, fixture)
        text = keep(world, file, item.config.invocation_params.dir)
        report.sections.append((f"flowdouble: {fixture}", text))


@pytest.fixture(scope="session")
def comfyui_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The local server of this run: its worlds are those of `comfyui`."""
    yield from _serve(request)


@pytest.fixture(scope="session")
def comfyui_hosted_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The hosted server of this run: its worlds are those of `comfyui_hosted`."""
    yield from _serve(request, deployment="hosted")


@pytest.fixture(scope="session")
def webhook_gateway_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The server whose gateway has those of `webhook_gateway` beside it."""
    yield from _serve(request, gateway=True)


@pytest.fixture
def comfyui_options() -> Mapping[str, Any]:
    """Options of the worlds of each test, which a marker overrides: none. Override this fixture to have some."""
    return {}


@pytest.fixture
def webhook_gateway_options() -> Mapping[str, Any]:
    """Options of the gateway of each test, which a marker overrides: none. Override this fixture to have some."""
    return {}


@pytest.fixture
def comfyui(request: pytest.FixtureRequest, comfyui_options: Mapping[str, Any]) -> Iterator[World]:
    """A local server for this test alone, at a separate port, on which runs take no time.

    Its options are those of `@pytest.mark.comfyui(...)`. With `--flowdouble-url` it is the real server.
    """
    yield from _world_for(request, "comfyui", comfyui_options, hosted=False)


@pytest.fixture
def comfyui_hosted(
    request: pytest.FixtureRequest, comfyui_options: Mapping[str, Any]
) -> Iterator[World]:
    """A hosted server for this test alone: `api_key` is the key of an account that may submit.

    Its options are those of `@pytest.mark.comfyui(...)`. With `--flowdouble-key` it is the real server.
    """
    yield from _world_for(request, "comfyui_hosted", comfyui_options, hosted=True)


@pytest.fixture
def webhook_gateway(
    request: pytest.FixtureRequest, webhook_gateway_options: Mapping[str, Any]
) -> Iterator[Gateway]:
    """A webhook gateway for this test alone. Its options are those of `@pytest.mark.webhook_gateway(...)`."""
    if request.config.getoption("flowdouble_url"):
        pytest.skip("webhook_gateway: --flowdouble-url names a workflow server")
    options = _options(request, "webhook_gateway", webhook_gateway_options, GatewayOptions)
    server: Server = request.getfixturevalue("webhook_gateway_server")
    assert server.gateway is not None
    try:
        gateway = server.gateway.world(folders=_folders(request), **options)
    except FlowdoubleError as error:
        raise _failed(f"webhook_gateway: {error}") from None
    yield from _watched(request, "webhook_gateway", gateway)


def _serve(request: pytest.FixtureRequest, **options: Any) -> Iterator[Server]:
    if request.config.getoption("flowdouble_url"):
        pytest.skip(f"{request.fixturename}: --flowdouble-url names the server")
    with Server(clock="instant", **options) as server:
        yield server


def _world_for(
    request: pytest.FixtureRequest, fixture: str, given: Mapping[str, Any], *, hosted: bool
) -> Iterator[World]:
    options = _options(request, "comfyui", given, WorldOptions)
    url: str | None = request.config.getoption("flowdouble_url")
    if url is not None:
        yield _real_server(request, fixture, url, options, hosted=hosted)
        return
    server: Server = request.getfixturevalue(f"{fixture}_server")
    try:
        world = server.world(port=0, folders=_folders(request), **options)
    except FlowdoubleError as error:
        raise _failed(f"{fixture}: {error}") from None
    yield from _watched(request, fixture, world)


def _watched(request: pytest.FixtureRequest, fixture: str, world: Any) -> Iterator[Any]:
    """A world until the end of its test, whose recording is kept if that fails."""
    recording_path(_output(request.config), request.node.nodeid, fixture).unlink(missing_ok=True)
    request.node.stash.setdefault(_worlds, {})[fixture] = world
    with world:
        yield world


def _real_server(
    request: pytest.FixtureRequest,
    fixture: str,
    url: str,
    options: Mapping[str, Any],
    *,
    hosted: bool,
) -> World:
    key: str | None = request.config.getoption("flowdouble_key")
    if hosted != (key is not None):
        kind = (
            "hosted" if key is not None else "local: --flowdouble-key names the key of a hosted one"
        )
        pytest.skip(f"{fixture}: the server of --flowdouble-url is {kind}")
    require_realistic(options)
    world = RealServer(url, api_key=key)
    request.node.stash.setdefault(_worlds, {})[fixture] = world
    return world


def _options(
    request: pytest.FixtureRequest, marker: str, given: Mapping[str, Any], options: Any
) -> dict[str, Any]:
    """The options for a test: those of the fixture, then those of its markers, the closest of which counts."""
    merged = dict(given)
    for mark in reversed(list(request.node.iter_markers(marker))):
        what = f"@pytest.mark.{marker}"
        if mark.args:
            raise _failed(f"{what} takes options by name, such as scenario=...")
        try:
            require_known(mark.kwargs, names_of(options), what)
        except TypeError as error:
            raise _failed(str(error)) from None
        merged.update(mark.kwargs)
    return merged


def _failed(sentence: str) -> BaseException:
    """What fails a test with a sentence alone."""
    return pytest.fail.Exception(sentence, pytrace=False)


def _folders(request: pytest.FixtureRequest) -> list[Path]:
    """Where the files of options are: beside the test, else in the root folder."""
    return [request.path.parent, request.config.rootpath]


def _output(config: pytest.Config) -> Path:
    """The folder for recordings."""
    given: str | None = config.getoption("flowdouble_output")
    if given is not None:
        return config.invocation_params.dir / given
    return config.rootpath / str(config.getini("flowdouble_output"))
