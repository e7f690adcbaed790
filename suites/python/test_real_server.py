"""The same tests on a real server: here one of ours without its control API."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from flowdouble import AsyncWorld, Server
from flowdouble._real_server import RealServer, control_methods

Suite = Callable[..., pytest.RunResult]


@pytest.fixture(scope="module")
def real() -> Iterator[Server]:
    with Server(control=False) as server:
        yield server


@pytest.fixture(scope="module")
def real_hosted() -> Iterator[Server]:
    with Server(control=False, deployment="hosted") as server:
        yield server


def test_a_client_reaches_it(suite: Suite, real: Server) -> None:
    result = suite(
        f"""
def test_it(comfyui):
    urlopen(comfyui.url + "/queue")
    assert comfyui.url == {real.url!r}
""",
        "--flowdouble-url",
        real.url,
    )
    result.assert_outcomes(passed=1)


def test_what_only_a_double_does_is_skipped_by_name(suite: Suite, real: Server) -> None:
    result = suite(
        """
def test_clock(comfyui): comfyui.advance(5)
def test_fault(comfyui): comfyui.fault(when={"path": "/queue"}, then={"status": 503})
def test_requests(comfyui): assert comfyui.requests() == []
@pytest.mark.comfyui(scenario="out-of-memory")
def test_scenario(comfyui): ...
@pytest.mark.comfyui(clock="manual")
def test_manual(comfyui): ...
@pytest.mark.comfyui(workflows=[], clock="instant", pace=3)
def test_harmless(comfyui): ...
def test_server(comfyui_server): ...
def test_gateway(webhook_gateway): ...
def test_hosted(comfyui_hosted): ...
def test_no_fixture(): ...
""",
        "--flowdouble-url",
        real.url,
        "-rs",
    )
    result.assert_outcomes(passed=2, skipped=8)
    result.stdout.fnmatch_lines_random(
        [
            "SKIPPED * advance: a real server has no clock to move",
            "SKIPPED * fault: a real server does not fail on request",
            "SKIPPED * requests: a real server does not list what it has received and sent",
            "SKIPPED * scenario: a real server is as it is",
            "SKIPPED * clock: a real server has no clock to move",
            "SKIPPED * comfyui_server: --flowdouble-url names the server",
            "SKIPPED * webhook_gateway: --flowdouble-url names a workflow server",
            "SKIPPED * comfyui_hosted: the server of --flowdouble-url is local:*",
        ]
    )


def test_a_key_makes_it_hosted(suite: Suite, real_hosted: Server) -> None:
    result = suite(
        """
def test_it(comfyui_hosted):
    asked = Request(comfyui_hosted.url + "/api/queue", headers={"X-API-Key": comfyui_hosted.api_key})
    assert urlopen(asked).status == 200
def test_local(comfyui): ...
""",
        "--flowdouble-url",
        real_hosted.url,
        "--flowdouble-key",
        str(real_hosted.api_key),
        "-rs",
    )
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED * comfyui: the server of --flowdouble-url is hosted"])


def test_a_failure_on_it_has_no_recording(
    suite: Suite, real: Server, pytester: pytest.Pytester
) -> None:
    result = suite("def test_it(comfyui): assert 0", "--flowdouble-url", real.url)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"{real.url} keeps no recording: it is a real server."])
    assert not (pytester.path / ".flowdouble").exists()


def test_unknown_markers_are_refused_there_too(suite: Suite, real: Server) -> None:
    result = suite(
        "@pytest.mark.comfyui(senario=1)\ndef test_it(comfyui): ...", "--flowdouble-url", real.url
    )
    result.assert_outcomes(errors=1)


def test_every_control_method_is_skipped() -> None:
    real = RealServer("http://127.0.0.1:9")
    for name in control_methods():
        with pytest.raises(pytest.skip.Exception, match=f"^{name}: a real server "):
            getattr(real, name)()
    assert real.close() is False


def test_an_async_method_is_skipped_too() -> None:
    import asyncio

    with pytest.raises(pytest.skip.Exception, match="^advance: "):
        asyncio.run(AsyncWorld(RealServer("http://127.0.0.1:9")).advance(5))
