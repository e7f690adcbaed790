"""Drives comfy-toolkit: a client that submits and tracks on a socket, or submits and waits."""

from comfy_toolkit import ComfyClient, customize
from comfy_toolkit.errors import ComfyExecutionError, ComfySubmitError
from driver import SERVER, check, load, picture, raised

client = ComfyClient(SERVER)


@check("submit")
def _():
    assert client.is_online()
    return client.submit(load("workflow"))


seen = []
result = {}


@check("follow")
def _():
    graph = customize(load("workflow"), positive="a harbour", seed=42, filename_prefix="harbour")
    result.update(client.submit_and_track(graph, on_progress=lambda *step: seen.append(step)))
    assert seen[-1] == (20, 20), seen
    return result["filenames"]


@check("download")
def _():
    return picture(client.download(result["images"][0]))


@check("polling")
def _():
    return client.wait_for_images(client.submit(load("workflow", 10)))


@check("failed-run")
def _():
    error = raised(client.submit_and_track, load("failing", 9))
    assert isinstance(error, ComfyExecutionError) and "made to fail" in error.detail, error
    return error.detail


@check("refused-graph")
def _():
    error = raised(client.submit, load("refused"))
    assert isinstance(error, ComfySubmitError) and "400" in str(error), error
    return error


@check("interrupt")
def _():
    graph = load("slow")
    stop = lambda done, total: client.interrupt() if done == 3 else None
    return raised(client.submit_and_track, graph, on_progress=stop)


@check("server")
def _():
    return client.vram_stats(), client.queue_status()
