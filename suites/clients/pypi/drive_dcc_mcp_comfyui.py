"""Drives dcc-mcp-comfyui: the bridge that its tools for agents use."""

from pathlib import Path

from dcc_mcp_comfyui.bridge import ComfyUIBridge
from driver import SERVER, check, load, picture, raised, until

bridge = ComfyUIBridge(SERVER, timeout=30, poll_interval=0.1)


def run(graph):
    return bridge.wait_for_prompt(bridge.submit_workflow(graph)["prompt_id"])


@check("server")
def _():
    return bridge.get_runtime_status(), bridge.list_models("checkpoints")


@check("submit")
def _():
    assert bridge.ping()
    return bridge.submit_workflow(load("workflow"))


done = {}


@check("follow")
def _():
    done.update(run(load("workflow", 8)))
    assert done["status"] == "completed", done
    return done["outputs"]


@check("download")
def _():
    (artifact,) = bridge.list_artifacts(done["prompt_id"])
    target = Path("saved.png").resolve()
    bridge.download_artifact(done["prompt_id"], artifact["filename"], target)
    return artifact, picture(target.read_bytes())


@check("failed-run")
def _():
    result = run(load("failing", 9))
    assert result["status"] == "error", result
    return result


@check("refused-graph")
def _():
    error = raised(bridge.submit_workflow, load("refused"))
    assert "400" in str(error), error
    return error


@check("upload")
def _():
    return bridge.upload_image(Path("input.png").resolve(), subfolder="mine")


@check("interrupt")
def _():
    prompt_id = bridge.submit_workflow(load("slow"))["prompt_id"]
    until(lambda: prompt_id in bridge.inspect_queue()["running_ids"])
    return bridge.cancel_prompt(prompt_id), bridge.wait_for_prompt(prompt_id)


@check("node-types")
def _():
    return bridge.get_node_type("KSampler"), len(bridge.get_node_names()), bridge.get_features()
