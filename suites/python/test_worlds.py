"""Worlds and gateways: what their methods do, and how they say what is wrong."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import flowdouble
from flowdouble import FlowdoubleError, Gateway, Server, World

Submit = Callable[..., Any]


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(url) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_a_manual_clock_moves_when_it_is_advanced(world: World, submit: Submit) -> None:
    run = submit(world.url)["prompt_id"]
    assert world.runs() == [{"prompt_id": run, "state": "pending", "user": None}]
    assert world.advance(25)["nowMs"] == 25
    assert world.runs()[0]["state"] == "running"
    moved = world.until("success", run=run)
    assert moved["found"] == {"prompt_id": run, "state": "success"}
    assert world.clock()["nowMs"] == moved["nowMs"] > 25


def test_until_without_a_state_is_the_next_one_of_the_run(world: World, submit: Submit) -> None:
    run = submit(world.url)["prompt_id"]
    assert world.until(run=run)["found"] == {"prompt_id": run, "state": "started"}
    world.until("idle")
    assert world.clock()["nextMs"] is None


def test_until_needs_something_to_wait_for(world: World) -> None:
    with pytest.raises(TypeError, match=r'until\("idle"\)'):
        world.until()


def test_until_says_which_states_there_are(world: World, submit: Submit) -> None:
    submit(world.url)
    with pytest.raises(FlowdoubleError, match="mean success") as error:
        world.until("sucess")
    assert error.value.status == 400


def test_until_gives_up_at_its_limit(world: World, submit: Submit) -> None:
    submit(world.url)
    with pytest.raises(FlowdoubleError, match="within 1 milliseconds") as error:
        world.until("success", within_ms=1)
    assert error.value.status == 409


def test_until_message_returns_the_data(world: World, submit: Submit) -> None:
    with socket_to(world):
        run = submit(world.url)["prompt_id"]
        assert world.until_message("executing", {"node": "1"})["prompt_id"] == run
    with pytest.raises(FlowdoubleError, match="execution_cached"):
        world.until_message("execution_cachedd")


def test_requests_are_listed_and_filtered(world: World, submit: Submit) -> None:
    submit(world.url)
    status_of(f"{world.url}/queue?a=1")
    post, get = world.requests()
    assert (post["method"], post["path"], post["status"]) == ("POST", "/prompt", 200)
    assert post["body"]["prompt"]["1"]["class_type"] == "PreviewAny"
    assert (get["query"], get["body"]) == ({"a": "1"}, None)
    assert world.requests(method="GET", path="/queue") == [get]
    assert world.requests(run=str(post.get("run"))) == [post]


def test_numbers_are_exact(world: World, submit: Submit) -> None:
    seed = 2**64 - 1
    submit(world.url, {"1": {"class_type": "PreviewAny", "inputs": {"source": seed}}})
    assert world.requests()[0]["body"]["prompt"]["1"]["inputs"]["source"] == seed


def test_verify_says_what_came_instead(world: World) -> None:
    status_of(f"{world.url}/queue?limit=2")
    verification = world.verify(path="/queue", query={"limit": "3"})
    assert not verification["passed"]
    assert verification["near"][0]["differs"] == [
        {"at": "query.limit", "expected": "3", "received": "2"}
    ]
    with pytest.raises(AssertionError, match="query.limit"):
        world.assert_requests(path="/queue", query={"limit": "3"})
    world.assert_requests(path="/queue", times=1)


def test_received_waits_in_real_time(world: World) -> None:
    status_of(f"{world.url}/queue")
    assert world.received(path="/queue")["path"] == "/queue"
    with pytest.raises(FlowdoubleError, match="received 1: entry 0") as error:
        world.received(path="/queue", times=2, within_ms=1)
    assert error.value.status == 409


def test_faults_are_added_listed_and_removed(world: World) -> None:
    fault = world.fault(when={"path": "/queue"}, then={"status": 503}, id="busy", times=1)
    assert fault == "busy"
    assert [status_of(f"{world.url}/queue") for _ in range(2)] == [503, 200]
    (active,) = world.faults()
    assert (active["id"], active["applied"]) == ("busy", 1)
    assert active["fault"]["then"] == {"status": 503}
    assert (world.unfault("busy"), world.unfault("busy")) == (True, False)


def test_a_wrong_fault_is_refused_in_the_words_of_the_server(world: World) -> None:
    with pytest.raises(FlowdoubleError, match=r"when\.pth.*did you mean path") as error:
        world.fault(when={"pth": "/queue"}, then={"status": 503})
    assert error.value.status == 400


def test_scenarios_are_loaded_by_name_content_and_file(world: World, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    (tmp_path / "body.txt").write_text("from a file")
    file.write_text("version: 1\nanswers: [{ method: GET, path: /mine, from: body.txt }]\n")
    world.load(file)
    with urllib.request.urlopen(f"{world.url}/mine") as reply:
        assert reply.read() == b"from a file"
    world.load([{"version": 1, "faults": []}, "rate-limited"])
    assert status_of(f"{world.url}/mine") == 404
    assert len(world.faults()) > 0


def test_a_wrong_scenario_file_is_refused_with_its_line(world: World, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("version: 1\nfaultz: []\n")
    with pytest.raises(FlowdoubleError, match=r"mine\.yaml:2:1: faultz"):
        world.load(str(file))
    with pytest.raises(FlowdoubleError, match="There is no file .*gone.yaml"):
        world.load("./gone.yaml")
    with pytest.raises(FlowdoubleError, match="Did you mean out-of-memory"):
        world.load("out-of-memmory")


def test_a_reset_a_snapshot_and_a_fork_keep_their_states(world: World, submit: Submit) -> None:
    empty = world.snapshot()
    submit(world.url)
    assert world.snapshot("one") == "one"
    forked = world.fork()
    world.restore(empty)
    assert world.runs() == []
    world.restore("one")
    assert len(world.runs()) == 1
    world.reset()
    assert (len(world.runs()), len(forked.runs())) == (0, 1)
    with pytest.raises(FlowdoubleError, match="snapshot") as error:
        world.restore("two")
    assert error.value.status in (400, 409)


def test_worlds_are_created_listed_and_closed(server: Server) -> None:
    with server.world(name="a", port=0, seed=3) as world:
        assert (world.name, world.deployment, world.api_key) == ("a", "local", None)
        assert world.url not in server.url
        assert "a" in [one.name for one in server.worlds()]
        with pytest.raises(FlowdoubleError, match="already exists") as error:
            server.world(name="a")
        assert error.value.status == 409
    assert world.close() is False
    assert "a" not in [one.name for one in server.worlds()]


def test_options_of_worlds_take_files_and_content(server: Server, tmp_path: Path) -> None:
    node = {"Shout": {"input": {"required": {"text": ["STRING"]}}, "output_node": True}}
    (tmp_path / "nodes.json").write_text(json.dumps(node))
    prompt = {"1": {"class_type": "Shout", "inputs": {"text": "hi"}}}
    (tmp_path / "workflow.json").write_text(json.dumps(prompt))
    for options in ({"nodes": "nodes.json"}, {"workflows": ["workflow.json"]}, {"nodes": node}):
        with server.world(folders=[tmp_path], **options) as world:
            assert status_of(f"{world.url}/object_info/Shout") == 200
    (tmp_path / "nodes.json").write_text("{")
    with pytest.raises(FlowdoubleError, match=r"nodes\.json: it is not JSON"):
        server.world(folders=[tmp_path], nodes="nodes.json")


def test_unknown_options_are_refused_with_the_nearest() -> None:
    with pytest.raises(TypeError, match="A server has no option sede. Did you mean seed?"):
        Server(sede=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="A gateway has no option like"):
        Gateway.at("http://127.0.0.1:9").world(like="x")  # type: ignore[call-arg]


def test_a_recording_is_a_har_file(world: World, tmp_path: Path) -> None:
    status_of(f"{world.url}/queue")
    (entry,) = world.recording()["log"]["entries"]
    assert entry["request"]["url"].endswith("/queue")
    file = world.save_recording(tmp_path / "new" / "a.har")
    assert json.loads(file.read_text()) == world.recording()


def test_the_journal_explains_itself(world: World) -> None:
    status_of(f"{world.url}/queue")
    options, *entries = world.journal()
    assert "options" in options
    number = world.requests()[0]["entry"]
    assert world.journal(number)[-1] == entries[-1]
    assert "queue/listing" in [rule["id"] for rule in world.explain(number)["rules"]]
    with pytest.raises(FlowdoubleError) as error:
        world.explain(10_000)
    assert error.value.status == 404


def test_pictures_and_frames_are_those_that_were_sent(server: Server, submit: Submit) -> None:
    prompt = json.loads(
        (Path(__file__).parents[2] / "recordings/workflows/text-to-image.json").read_text()
    )
    with server.world(preview="png") as world, socket_to(world) as connection:
        submit(world.url, prompt)
        world.until("success")
        frame = world.frames()[0]
        effects = world.journal(frame["entry"])[1]["effects"]
        number = next(at for at, one in enumerate(effects) if one["kind"] == "frame")
        assert world.picture(frame["entry"], number).startswith(b"\x89PNG")
        assert "progress" in [one["type"] for one in world.messages(direction="sent")]
        assert world.drop() == 1
        with pytest.raises(ConnectionResetError):
            while connection.recv(65536):
                pass


def socket_to(world: World) -> socket.socket:
    """A WebSocket whose frames nobody reads."""
    host, port = world.url.split("/")[2].split(":")
    connection = socket.create_connection((host, int(port)))
    path = world.ws_url.split("/", 3)[3]
    connection.sendall(
        f"GET /{path}?clientId=a HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    assert connection.recv(12) == b"HTTP/1.1 101"
    return connection


def test_the_address_describes_itself(world: World) -> None:
    assert "POST /_flowdouble/advance" in world.paths()
    assert world.openapi()["openapi"].startswith("3.1")
    assert "<title>" in world.inspector()
    assert status_of(world.inspector_url) == 200
    assert world.version()["version"] == flowdouble.__version__
    assert world.health() == {"status": "ok"}
    assert world.ready() == {"status": "ready"}


def test_a_server_lists_its_worlds_with_their_size(server: Server) -> None:
    with server.world(name="sized") as world:
        (listed,) = [one for one in server.list_worlds() if one["name"] == "sized"]
        assert listed["url"] == world.url
        assert listed["runs"] == listed["sockets"] == 0
        assert listed["ageMs"] >= listed["idleMs"] >= 0
        assert 'flowdouble_bytes{kind="history"} ' in server.metrics()


@pytest.mark.parametrize("port", [None, 0])
def test_health_says_that_a_fault_keeps_it_down(server: Server, port: int | None) -> None:
    with server.world(port=port) as world:
        world.fault(when={"path": "/queue"}, then={"restart": {"downMs": 1000}})
        with pytest.raises(OSError):
            status_of(f"{world.url}/queue")
        assert world.health() == {"status": "down"}
        world.advance(1000)
        assert world.health() == {"status": "ok"}
        assert status_of(f"{world.url}/system_stats") == 200


def test_a_gateway_runs_agents_and_delivers(server: Server) -> None:
    assert server.gateway is not None
    route = {"secret": "of-the-sender", "prompt": "Build {status}", "deliver": "telegram"}
    with server.gateway.world(home_channels={"telegram": "42"}) as gateway:
        gateway.subscribe("ci", route)
        gateway.fail_deliveries(
            "telegram", error="out of reach", times=None, status=429, retry_after_ms=90_000
        )
        assert gateway.post("ci", {"status": "green"}).status == 202
        gateway.until("idle")
        assert [run["prompt"] for run in gateway.runs()] == ["Build green"]
        first, second = gateway.outbox()[:2]
        assert first["error"] == "out of reach"
        assert second["timestamp"] - first["timestamp"] >= 90_000
        gateway.assert_requests(path="/webhooks/ci", times=1)
        assert gateway.unsubscribe("ci")
        assert not gateway.unsubscribe("ci")


def test_a_post_is_signed_with_the_secret_that_is_known(server: Server) -> None:
    assert server.gateway is not None
    routes = {"a": {"prompt": "a"}, "b": {"prompt": "b", "secret": "of-b-alone"}}
    with server.gateway.world(secret="of-all-the-others", subscriptions=routes) as gateway:
        assert [gateway.post(name, {}).status for name in ("a", "b")] == [202, 202]
        assert gateway.post("a", {}, secret="of-nobody-at-all").status == 401
        forked = gateway.fork()
        assert forked.post("b", b'{"raw": 1}').status == 202
        assert [one.name for one in gateway.worlds()].count(forked.name) == 1
        assert forked.close()
    with pytest.raises(FlowdoubleError, match="secret of the route ci is not known"):
        Gateway.at(gateway.url).post("ci", {})


def test_hosted_worlds_have_keys(submit: Submit) -> None:
    accounts = [
        {"user": "free", "keys": ["key-of-free"], "tier": "free"},
        {"user": "pro", "keys": ["key-of-pro"], "tier": "pro"},
    ]
    with Server(deployment="hosted", clock="instant") as server:
        assert (server.deployment, server.api_key) == ("hosted", "test-key")
        assert server.client_env["COMFY_ROUTER_BASE_URL"] == server.url
        assert server.client_env["COMFY_CLOUD_API_KEY"] == "test-key"
        submit(server.url, key=server.api_key)
        with server.world(accounts=accounts, port=0) as world:
            assert world.api_key == "key-of-pro"
            submit(world.url, key=world.api_key)
            assert world.runs()[0]["user"] == "pro"
            assert world.api_key not in json.dumps(world.recording())


def test_a_server_has_a_hosted_one_and_a_gateway_beside_it() -> None:
    with Server(deployment="both", gateway=True, clock="instant") as server:
        assert server.deployment == "local"
        assert server.hosted is not None and server.hosted.api_key == "test-key"
        assert server.hosted.version()["deployment"] == "hosted"
        assert server.gateway is not None
        assert server.gateway.version()["deployment"] == "gateway"


def test_a_server_elsewhere_requires_its_token() -> None:
    token = "the-control-token"
    with Server(control_token=token) as server:
        here = Server.at(server.url, token=token)
        assert here.clock()["clock"] == "real"
        assert (here.pid, here.log(), here.close()) == (None, "", False)
        with Server.at(server.url) as there:
            assert there.clock()["clock"] == "real"
        assert server.close()
        assert not server.close()


def test_tls_is_trusted_by_its_file(submit: Submit) -> None:
    with Server(tls="auto", clock="instant") as server:
        assert server.url.startswith("https://")
        assert server.ws_url.startswith("wss://")
        assert server.runs() == []
        assert server.ca is not None and Path(server.ca).exists()
        file = server.ca
    assert not Path(file).exists()


def test_a_server_starts_once() -> None:
    with Server() as server, pytest.raises(FlowdoubleError, match="started already, at http"):
        server.start()


def test_a_server_that_does_not_start_says_why() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(FlowdoubleError, match=rf"did not start: Port {port} is in use"):
            Server(port=port).start()
    with pytest.raises(
        FlowdoubleError, match=r'^The server did not start: option "clock" cannot be "never"'
    ):
        Server(clock="never").start()


def test_a_server_that_has_ended_says_so(submit: Submit) -> None:
    exits = {"version": 1, "faults": [{"when": {"path": "/queue"}, "then": {"exit": 137}}]}
    with Server(scenario=exits) as server:
        with pytest.raises(OSError):
            status_of(f"{server.url}/queue")
        with pytest.raises(FlowdoubleError, match="The server has ended with 137"):
            for _ in range(1000):  # it answers until its port is closed
                server.clock()


def test_nobody_at_an_address() -> None:
    with pytest.raises(
        FlowdoubleError, match="Nobody answers at http://127.0.0.1:9 .*running"
    ) as error:
        World.at("http://127.0.0.1:9").clock()
    assert error.value.status is None


def test_a_server_without_control_api() -> None:
    with Server(control=False) as server, pytest.raises(FlowdoubleError, match="--no-control"):
        server.clock()


def test_the_warnings_of_a_server_are_in_its_log() -> None:
    scenario = {"version": 1, "faults": [{"when": {"path": "/promt"}, "then": {"status": 500}}]}
    with Server(scenario=scenario) as server:
        log = server.log()
    assert server.log() == log
