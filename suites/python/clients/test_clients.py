"""Five public clients, tested as their authors could: each with the fixtures, without a line for the double in them.

suites/clients drives each of them in full. package.long.test.ts installs the same versions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flowdouble import World

WORKFLOW = Path(__file__).parents[3] / "recordings/workflows/text-to-image.json"
FAILING = {
    "version": 1,
    "nodes": [
        {
            "class_type": "KSampler",
            "exception_type": "ValueError",
            "exception_message": "made to fail",
        }
    ],
}


def test_comfyapi_polls_until_its_run_is_done(comfyui: World, tmp_path: Path) -> None:
    from comfyapi import ComfyAPIManager

    manager = ComfyAPIManager()
    manager.set_base_url(comfyui.url)
    manager.load_workflow(str(WORKFLOW))
    run = manager.submit_workflow()
    name, url = manager.wait_for_finish(run, poll_interval=0.01, max_wait_time=30)
    manager.download_output(url, save_path=str(tmp_path), filename=name)
    assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    comfyui.assert_requests(path="/view", status=200, times=1)


@pytest.mark.comfyui(scenario=FAILING)
def test_pycomfy_reports_what_the_node_said(comfyui: World) -> None:
    from pycomfy import ComfyAPI, ComfyAPIError

    with ComfyAPI(comfyui.url) as api, pytest.raises(ComfyAPIError, match="made to fail"):
        api.load_workflow(str(WORKFLOW)).execute(seed=7)
    assert [run["state"] for run in comfyui.runs()] == ["error"]


def test_comfyflow_follows_previews_on_the_socket(comfyui: World) -> None:
    from comfyflow import ComfyClient, Workflow

    flow = Workflow(ComfyClient(comfyui.url.removeprefix("http://")))
    image = flow.EmptyImage(width=64, height=32, batch_size=1, color=0).IMAGE
    flow.SaveImage(images=image, filename_prefix="flow")
    ((_, picture),) = flow.client.run(flow)
    picture.load()
    assert picture.size == (64, 32)
    assert "executed" in [message["type"] for message in comfyui.messages()]


# It returns all binary frames as pictures, so that previews must be off.
@pytest.mark.comfyui(preview="none")
def test_comfy_api_simplified_returns_the_pictures_of_a_node(comfyui: World) -> None:
    from comfy_api_simplified import ComfyApiWrapper, ComfyWorkflowWrapper

    workflow = ComfyWorkflowWrapper(str(WORKFLOW))
    workflow.set_node_param("Sampler", "seed", 2**64 - 1)
    images: dict[str, Any] = ComfyApiWrapper(comfyui.url).queue_and_wait_images(
        workflow, "Save Image"
    )
    assert [one.startswith(b"\x89PNG") for one in images.values()] == [True]
    (submit,) = comfyui.requests(method="POST", path="/prompt")
    assert submit["body"]["prompt"]["3"]["inputs"]["seed"] == 2**64 - 1


def test_comfy_sdk_of_the_vendor_uses_its_key(
    comfyui_hosted: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from comfy_sdk import Comfy

    monkeypatch.setenv("COMFY_BASE_URL", comfyui_hosted.url)
    client = Comfy(api_key=comfyui_hosted.api_key)
    job = client.submit(client.workflows.from_json(json.loads(WORKFLOW.read_text("utf-8"))))
    assert job.wait(timeout=60).status == "succeeded"
    (output,) = job.refresh().get_outputs("9")
    assert output.to_bytes().startswith(b"\x89PNG")
    assert comfyui_hosted.runs()[0]["user"] == "test-user"
