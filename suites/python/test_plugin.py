"""The pytest plugin as users meet it: fixtures, markers, options, and several processes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Suite = Callable[..., pytest.RunResult]

SUBMIT = """
def submit(world, prompt={"1": {"class_type": "PreviewAny", "inputs": {"source": "hi"}}}):
    key = {"X-API-Key": world.api_key} if world.api_key else {}
    body = json.dumps({"prompt": prompt}).encode()
    path = "/api/prompt" if key else "/prompt"
    return json.load(urlopen(Request(world.url + path, body, key)))
"""


def test_each_test_has_a_world_at_a_port_of_its_own(suite: Suite) -> None:
    result = suite(
        SUBMIT
        + """
seen = []
@pytest.mark.parametrize("number", [1, 2])
def test_it(comfyui, number):
    submit(comfyui)
    assert [run["state"] for run in comfyui.runs()] == ["success"]
    assert comfyui.url not in seen and comfyui.ws_url == comfyui.url.replace("http", "ws") + "/ws"
    seen.append(comfyui.url)
"""
    )
    result.assert_outcomes(passed=2)


def test_the_server_is_one_for_all_tests(suite: Suite) -> None:
    result = suite(
        """
seen = set()
@pytest.mark.parametrize("number", [1, 2])
def test_it(comfyui, comfyui_server, number):
    seen.add(comfyui_server.pid)
    assert [one.name for one in comfyui_server.worlds()] == [comfyui.name]
    assert len(seen) == 1
"""
    )
    result.assert_outcomes(passed=2)


def test_a_hosted_world_has_a_key(suite: Suite) -> None:
    result = suite(
        SUBMIT
        + """
def test_it(comfyui_hosted):
    submit(comfyui_hosted)
    assert comfyui_hosted.runs()[0]["user"] == "test-user"

@pytest.mark.comfyui(accounts=[{"user": "me", "keys": ["my-key"], "balance": 5}])
def test_accounts(comfyui_hosted):
    submit(comfyui_hosted)
    assert (comfyui_hosted.api_key, comfyui_hosted.runs()[0]["user"]) == ("my-key", "me")
"""
    )
    result.assert_outcomes(passed=2)


def test_a_gateway_for_each_test(suite: Suite) -> None:
    result = suite(
        """
@pytest.mark.webhook_gateway(secret="of-all-of-them", subscriptions={"ci": {"prompt": "Build {status}"}})
def test_it(webhook_gateway):
    assert webhook_gateway.post("ci", {"status": "green"}).status == 202
    assert [run["answer"] for run in webhook_gateway.runs()] == ["Build green"]
    assert webhook_gateway.secret == "of-all-of-them"

def test_another(webhook_gateway):
    assert webhook_gateway.runs() == []
"""
    )
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("options", "asserts"),
    [
        ('scenario="out-of-memory"', 'len(comfyui.paths()) > 0'),
        ('scenario={"version": 1, "faults": [{"when": {"path": "/queue"}, "then": {"status": 503}}]}', "len(comfyui.faults()) == 1"),
        ('scenario=["unavailable", "slow-answers"]', "len(comfyui.faults()) > 1"),
        ('clock="manual"', 'comfyui.advance(5)["nowMs"] == 5'),
        ("", 'comfyui.clock()["clock"] == "instant"'),
        ('like="comfyui-0.27"', 'comfyui.version()["like"] == "comfyui-0.27"'),
        ("start_delay_ms=7, clock='manual'", 'comfyui.clock()["nowMs"] == 0'),
        ('workflows=[{"1": {"class_type": "Shout", "inputs": {"text": "hi"}}}]', 'len(json.load(urlopen(comfyui.url + "/object_info/Shout"))) == 1'),
    ],
)  # fmt: skip
def test_a_marker_sets_the_options_of_the_world(suite: Suite, options: str, asserts: str) -> None:
    result = suite(f"@pytest.mark.comfyui({options})\ndef test_it(comfyui):\n    assert {asserts}")
    result.assert_outcomes(passed=1)


def test_the_closest_marker_counts(suite: Suite) -> None:
    result = suite(
        """
pytestmark = pytest.mark.comfyui(clock="manual", like="comfyui-0.27")

@pytest.mark.comfyui(like="comfyui-0.33")
class TestIt:
    @pytest.mark.comfyui(clock="instant")
    def test_method(self, comfyui):
        assert comfyui.clock()["clock"] == "instant"
        assert comfyui.version()["like"] == "comfyui-0.33"

def test_function(comfyui):
    assert comfyui.clock()["clock"] == "manual"
    assert comfyui.version()["like"] == "comfyui-0.27"
"""
    )
    result.assert_outcomes(passed=2)


def test_a_fixture_sets_the_options_of_many_tests(suite: Suite) -> None:
    result = suite(
        """
@pytest.fixture
def comfyui_options():
    return {"clock": "manual", "like": "comfyui-0.27"}

@pytest.fixture
def webhook_gateway_options():
    return {"secret": "of-all-of-them"}

@pytest.mark.comfyui(clock="instant")
def test_it(comfyui, webhook_gateway):
    assert comfyui.clock()["clock"] == "instant"
    assert comfyui.version()["like"] == "comfyui-0.27"
    assert webhook_gateway.secret == "of-all-of-them"
"""
    )
    result.assert_outcomes(passed=1)


def test_files_are_beside_the_test_or_in_the_root_folder(
    suite: Suite, pytester: pytest.Pytester
) -> None:
    pytester.makefile(".yaml", mine="version: 1\nanswers: [{ path: /mine, text: root }]")
    pytester.mkdir("deep")
    (pytester.path / "deep/own.yaml").write_text(
        "version: 1\nanswers: [{ path: /own, text: deep }]"
    )
    (pytester.path / "deep/test_deep.py").write_text(
        """
import pytest
from urllib.request import urlopen
@pytest.mark.comfyui(scenario=["mine.yaml", "own.yaml"])
def test_it(comfyui):
    assert [urlopen(comfyui.url + path).read() for path in ("/mine", "/own")] == [b"root", b"deep"]
"""
    )
    suite("").assert_outcomes(passed=1)


def test_a_file_that_is_nowhere_is_named_with_the_folders(suite: Suite) -> None:
    result = suite("@pytest.mark.comfyui(scenario='gone.yaml')\ndef test_it(comfyui): ...")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["comfyui: There is no file */gone.yaml*"])


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("senario='x'", "@pytest.mark.comfyui has no option senario. Did you mean scenario?*"),
        ("'out-of-memory'", "@pytest.mark.comfyui takes options by name, such as scenario=..."),
        ("port=3", "@pytest.mark.comfyui has no option port.*"),
        ("scenario='out-of-memmory'", "comfyui: There is no scenario*Did you mean out-of-memory?*"),
        ("clock='never'", 'comfyui: *clock*"never"*instant, or manual*'),
    ],
)
def test_wrong_markers_are_refused_in_a_sentence(suite: Suite, marker: str, message: str) -> None:
    result = suite(f"@pytest.mark.comfyui({marker})\ndef test_it(comfyui): ...")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*During handling*")


def test_a_wrong_marker_of_a_gateway_is_refused(suite: Suite) -> None:
    result = suite(
        """
@pytest.mark.webhook_gateway(likes="x")
def test_unknown(webhook_gateway): ...
@pytest.mark.webhook_gateway(subscriptions={"ci": {}})
def test_wrong(webhook_gateway): ...
"""
    )
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines_random(
        ["@pytest.mark.webhook_gateway has no option likes.*", "webhook_gateway: *secret*"]
    )


def test_markers_are_declared(suite: Suite) -> None:
    result = suite(
        "@pytest.mark.comfyui(seed=1)\ndef test_it(comfyui): ...", "--strict-markers", "-W", "error"
    )
    result.assert_outcomes(passed=1)
    suite("", "--markers").stdout.fnmatch_lines(
        ["@pytest.mark.comfyui(?*options): *", "@pytest.mark.webhook_gateway(?*options): *"]
    )


def test_a_server_of_the_user_replaces_that_of_the_run(suite: Suite) -> None:
    result = suite(
        """
import flowdouble
@pytest.fixture(scope="session")
def comfyui_server():
    with flowdouble.Server(clock="instant", explain=True) as server:
        yield server

def test_it(comfyui):
    assert "queue/listing" in urlopen(comfyui.url + "/queue").headers["X-Flowdouble-Rules"]
"""
    )
    result.assert_outcomes(passed=1)


def test_tests_without_fixtures_start_nothing(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOWDOUBLE_NODE", "no-such-node")
    suite("def test_it(): ...").assert_outcomes(passed=1)
    result = suite("def test_it(comfyui): ...")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*FLOWDOUBLE_NODE names no-such-node, which is not a program.*"])


def test_each_process_of_xdist_has_a_server(suite: Suite) -> None:
    pytest.importorskip("xdist")
    result = suite(
        SUBMIT
        + """
@pytest.mark.parametrize("number", range(8))
def test_it(comfyui, number):
    submit(comfyui)
    assert len(comfyui.runs()) == 1
    assert number != 5
""",
        "-n",
        "2",
        subprocess=True,
    )
    result.assert_outcomes(passed=7, failed=1)
    result.stdout.fnmatch_lines(["recording: .flowdouble/*test_it-5*.har"])


def test_async_clients_use_the_same_fixtures(suite: Suite, pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_asyncio")
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function")
    result = suite(
        SUBMIT
        + """
import asyncio
from flowdouble import AsyncWorld

@pytest.mark.comfyui(clock="manual")
async def test_it(comfyui):
    world = AsyncWorld(comfyui)
    arrival = asyncio.create_task(world.received(path="/prompt"))
    await asyncio.to_thread(submit, comfyui)
    run = (await arrival)["run"]
    await world.until("success", run=run)

@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_anyio(comfyui, anyio_backend):
    assert await AsyncWorld(comfyui).runs() == []
""",
        "-p",
        "asyncio",
        subprocess=True,
    )
    result.assert_outcomes(passed=2)


def test_a_hosted_world_serves_its_pictures_by_links(suite: Suite) -> None:
    result = suite(
        SUBMIT
        + """
def test_it(comfyui_hosted):
    image = {"class_type": "EmptyImage", "inputs": {"width": 8, "height": 8, "batch_size": 1, "color": 0}}
    save = {"class_type": "SaveImage", "inputs": {"images": ["1", 0], "filename_prefix": "a"}}
    run = submit(comfyui_hosted, {"1": image, "2": save})["prompt_id"]
    key = {"X-API-Key": comfyui_hosted.api_key}
    job = json.load(urlopen(Request(f"{comfyui_hosted.url}/api/jobs/{run}", headers=key)))
    name = job["outputs"]["2"]["images"][0]["filename"]
    view = Request(f"{comfyui_hosted.url}/api/view?filename={name}&type=output", headers=key)
    assert urlopen(view).read().startswith(b"\\x89PNG")
"""
    )
    result.assert_outcomes(passed=1)


def test_a_world_that_exits_leaves_the_others(suite: Suite) -> None:
    result = suite(
        """
@pytest.mark.comfyui(scenario={"version": 1, "faults": [{"when": {"path": "/queue"}, "then": {"exit": 1}}]})
def test_exits(comfyui):
    for _ in range(2):
        with pytest.raises(OSError):
            urlopen(comfyui.url + "/queue")

def test_next(comfyui):
    assert urlopen(comfyui.url + "/queue").status == 200
"""
    )
    result.assert_outcomes(passed=2)
