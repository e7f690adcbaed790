"""Drives comfyui-xy: a client that submits, polls the history, and downloads every output."""

from comfyui_xy import AsyncComfyUiClient, ComfyUiClient
from driver import SERVER, check, load, picture, raised

client = ComfyUiClient(SERVER, raise_on_error=True, execution_timeout=30)


@check("submit")
def _():
    return client.queue_prompt(load("workflow"))


files = []


@check("follow")
def _():
    prompt_id = client.queue_prompt(load("workflow", 8))
    outputs = client.wait_for_execution(prompt_id, check_interval=0.1)
    files.extend(client.extract_file_responses(outputs))
    return outputs


@check("download")
def _():
    (file,) = files
    assert file.file_type == "image", file
    return picture(file.data)


@check("async")
async def _():
    async with AsyncComfyUiClient(SERVER, raise_on_error=True, execution_timeout=30) as one:
        (file,) = await one.process_workflow(load("workflow", 10))
    return picture(file.data)


@check("failed-run")
def _():
    assert client.process_workflow(load("failing", 9)) == []
    (entry,) = [one for one in client.get_history_all().values() if not one["outputs"]]
    assert entry["status"]["status_str"] == "error", entry["status"]
    return entry["status"]["status_str"]


@check("refused-graph")
def _():
    error = raised(client.queue_prompt, load("refused"))
    assert error.status_code == 400 and "no-such-sampler" in error.response_text, error
    return error


@check("upload")
def _():
    name = client.upload_image("input.png")
    return picture(client.get_view(name, "", "input"), (256, 256))


@check("interrupt")
def _():
    prompt_id = client.queue_prompt(load("slow"))
    while not client.get_queue()["queue_running"]:
        pass
    assert client.interrupt()
    return client.wait_for_execution(prompt_id, check_interval=0.1)
