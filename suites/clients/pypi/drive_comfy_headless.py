"""Drives comfy-headless: a client that builds its own graphs, submits them, and polls or listens."""

from comfy_headless import ComfyClient
from comfy_headless.websocket_client import ComfyWSClient
from driver import SERVER, check, load, picture, raised

client = ComfyClient(base_url=SERVER)


@check("submit")
def _():
    assert client.is_online()
    prompt_id = client.queue_prompt(load("workflow"))
    return client.wait_for_completion(prompt_id, poll_interval=0.1)["status"]["status_str"]


seen = []


@check("follow")
async def _():
    async with ComfyWSClient(base_url=SERVER) as one:
        prompt_id = await one.queue_prompt(load("workflow", 8))

        async def keep(step):
            seen.append((step.status, step.progress, step.max_progress))

        await one.wait_for_completion(prompt_id, on_progress=keep, timeout=30)
    assert seen[-1][0] == "completed" and any(step[1:] == (20, 20) for step in seen), seen
    return seen


made = {}


@check("text-to-image")
def _():
    made.update(client.generate_image("a lighthouse", width=512, height=512, seed=3))
    assert made["success"], made
    return made


@check("download")
def _():
    (image,) = made["images"]
    data = client.get_image(image["filename"], image["subfolder"], image["type"])
    return image["filename"], picture(data)


@check("failed-run")
def _():
    entry = client.wait_for_completion(client.queue_prompt(load("failing", 9)), poll_interval=0.1)
    assert entry["status"]["status_str"] == "error", entry
    return entry["status"]["messages"][-1]


@check("refused-graph")
def _():
    assert client.queue_prompt(load("refused")) is None
    return "no prompt_id"


@check("upload")
def _():
    ref = client.upload_image("input.png")
    return ref, picture(client.get_image(ref["name"], ref["subfolder"], ref["type"]), (256, 256))


@check("node-types")
def _():
    found = client.check_workflow_dependencies(load("workflow"))
    return found, client.check_workflow_types(load("workflow")), client.get_samplers()[:3]


@check("interrupt")
def _():
    prompt_id = client.queue_prompt(load("slow"))
    while not client.get_queue()["queue_running"]:
        pass
    assert client.cancel_current()
    return client.wait_for_completion(prompt_id, poll_interval=0.1)["status"]["status_str"]
