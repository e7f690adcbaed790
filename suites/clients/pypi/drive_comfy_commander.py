"""Drives comfy-commander: a server object that executes a workflow, and polls for its media."""

from comfy_commander import ComfyUIServer, Workflow
from driver import SERVER, check, picture, raised

server = ComfyUIServer(SERVER)


def execute(name, seed=7):
    flow = Workflow.from_file(name + ".json")
    flow.node(id="3").param("seed").set(seed)
    return server.execute(flow, poll_interval=0.1, timeout=30)


@check("submit")
def _():
    assert server.is_available()
    return server.queue(Workflow.from_file("workflow.json"))


results = []


@check("follow")
def _():
    results.append(execute("workflow", 8))
    assert results[0].status == "success", results[0]
    return results[0]


@check("download")
def _():
    (one,) = results[0].media
    one.save("again.png")
    return one.filename, picture(one.data)


@check("failed-run")
def _():
    result = execute("failing", 9)
    assert result.status == "error", result
    return result.error_message


@check("refused-graph")
def _():
    error = raised(execute, "refused")
    assert error.response.status_code == 400, error
    return error


@check("queue")
def _():
    return server.get_queue_status()
