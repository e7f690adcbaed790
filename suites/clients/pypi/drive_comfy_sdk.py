"""Drives comfy-sdk against the second version of the hosted API and the Router, with each example of its README."""

import base64
import json
import os
import urllib.request

import sdk
from comfy_sdk import NO_RETRY, AsyncComfy, BinaryResult, Comfy, RetryPolicy, RouterError
from comfy_sdk.events import OutputReady, Preview, Progress, StatusChange
from comfy_sdk.exceptions import NotFound, Unauthorized
from comfy_sdk.router_exceptions import AlreadyCompleted, InvalidInput, ModelNotFound
from driver import API_KEY, SERVER, check, load, picture, raised

os.environ["COMFY_BASE_URL"] = os.environ["COMFY_ROUTER_BASE_URL"] = SERVER
client = Comfy(api_key=API_KEY)
sdk.drive(client)


@check("list")
def _():
    labels = {"suite": "clients"}
    flow = client.workflows.from_json(load("workflow", 12))
    ids = [client.submit(flow, metadata=labels).id for _ in range(2)]
    jobs = list(client.list_jobs(metadata=labels, limit=1))
    assert [job.id for job in jobs] == ids[::-1], jobs
    return jobs


@check("workflow")
def _():
    job = client.submit(client.workflows.from_json(load("workflow", 11)))
    found = client.jobs.get(job.id).get_workflow()
    assert (found.format, found.graph) == ("api", load("workflow", 11)), found
    return found


def wf(seed):
    return client.workflows.from_json(load("workflow", seed))


def saved(seed):
    """A finished job, and its one output."""
    job = client.run(wf(seed))
    (output,) = job.get_outputs("9")
    return job, output


@check("examples: workflows")
def _():
    made = [
        client.workflows.from_file("workflow.json"),
        client.workflows.from_str(json.dumps(load("workflow"))),
        client.workflows.from_json(load("workflow")),
    ]
    made[-1].set_input("3", "seed", 42)
    assert made[0].json == made[1].json and made[2].json["3"]["inputs"]["seed"] == 42
    return picture(client.run(made[-1]).get_outputs("9")[0].to_bytes())


@check("examples: keys")
def _():
    os.environ["COMFY_API_KEY"] = API_KEY
    named = Comfy(client_info="my-app")
    assert list(named.list_jobs(limit=1)), "no job"
    assert isinstance(raised(Comfy(api_key="wrong").run, wf(20)), Unauthorized)
    job = client.submit(wf(21), api_key="test-partner-key")
    assert job.wait(timeout=60).status == "succeeded", job
    return repr(named)


@check("examples: assets")
def _():
    with open("input.png", "rb") as file:
        data = file.read()
    # Other bytes each, behind the end of the picture.
    asset = client.assets.from_bytes(data + b"1", filename="photo.png")
    with open("stream.png", "wb") as file:
        file.write(data + b"2")
    with open("stream.png", "rb") as file:
        streamed = client.assets.from_stream(file, filename="photo.png")
    asset.commit()
    streamed.commit()
    assert asset.job_id is None and asset.expires_at is None, asset
    link = asset.get_download_url()
    assert urllib.request.urlopen(link.url).read() == data + b"1"
    assert link.expires_at is not None
    uploaded = asset.id
    asset.delete()
    client.assets.delete(streamed.id)
    assert isinstance(raised(client.assets.get, uploaded), NotFound)
    return link.url


@check("examples: events")
def _():
    job = client.submit(wf(22))
    seen = []
    for event in job.events():
        match event:
            case Progress() as progress:
                seen.append(f"{progress.value:.0%}")
            case Preview() as preview:
                assert preview.data, preview
                seen.append("preview")
            case OutputReady() as ready:
                ready.output.to_file(f"partial-{ready.output.name}")
                seen.append("output")
            case StatusChange(status="succeeded"):
                break
    assert "preview" in seen and "output" in seen, seen
    return job.result().status, seen


@check("examples: outputs")
def _():
    job, output = saved(23)
    output.to_file("result.png")
    with open("result.bin", "wb") as stream:
        written = output.to_stream(stream)
    data = output.to_bytes()
    output.to_file("head.png", range=(0, 1023))
    assert written == len(data) and os.path.getsize("head.png") == min(1024, len(data))
    link = output.get_download_url()
    assert urllib.request.urlopen(link.url).read() == data
    assert [one.type for one in job.outputs] == ["image"] and output.job_id == job.id
    return output.content_type, link.expires_at


@check("examples: models")
def _():
    found = {model.id: model.billing for model in client.models.list()}
    assert "bfl/flux-2-pro" in found, found
    page = client.models.list(limit=2).page()
    assert len(page.data) == page.limit == 2 and page.has_more and page.request_id, page
    rest = client.models.list(cursor=page.next_cursor)
    assert [*page.data, *rest] == list(client.models.list())
    schema = client.models.schema("bfl/flux-2-pro")
    assert schema.document["openapi"] and client.models.schema("bfl/flux-2-pro", etag=schema.etag).unchanged
    return sorted(found)


@check("examples: models.run")
def _():
    result = client.models.run("bfl/flux-2-pro", {"prompt": "a cat", "steps": 4})
    made = urllib.request.urlopen(result["images"][0]["url"]).read()
    said = client.models.run(
        "elevenlabs/eleven_v3", {"inputs": [{"text": "Hello.", "voice_id": "one"}]}
    )
    assert isinstance(said, BinaryResult) and said.content_type == "audio/mpeg" and said.request_id, said
    image = client.assets.from_file("input.png").get_download_url().url
    golden = client.models.run(
        "wan/wan2.5-i2i-preview",
        {"input": {"images": [image], "prompt": "Make it golden."}, "parameters": {"size": "768*768"}},
    )
    assert urllib.request.urlopen(golden["output"]["results"][0]["url"]).read()
    with open("input.png", "rb") as file:
        encoded = base64.b64encode(file.read()).decode()
    client.models.run("bfl/flux-2-pro", {"prompt": "make it watercolor", "input_image": encoded})
    detailed = client.models.run_detailed("bfl/flux-2-pro", {"prompt": "a cat"})
    assert float(detailed.credits_used) > 0, detailed
    return picture(made, (1024, 1024)), detailed.credits_used


@check("examples: models.run again")
def _():
    first = client.models.run("bfl/flux-2-pro", {"prompt": "once"}, idempotency_key="once")
    again = client.models.run_detailed("bfl/flux-2-pro", {"prompt": "once"}, idempotency_key="once")
    assert again.replayed and again.output == first, again
    return again.request_id


@check("examples: models.submit")
def _():
    handle = client.models.submit("fal-ai/flux-pro", {"prompt": "a cat"})
    first = handle.status().status
    assert first in ("IN_QUEUE", "IN_PROGRESS"), first
    again = client.models.handle("fal-ai/flux-pro", handle.request_id)
    assert again.get(timeout=60) == handle.get() and handle.get()["images"], handle
    assert isinstance(raised(handle.cancel), AlreadyCompleted)
    return first, handle.request_id


@check("examples: models.subscribe")
def _():
    updates = []
    result = client.models.subscribe(
        "fal-ai/flux-pro", {"prompt": "a cat"}, on_queue_update=updates.append, timeout=60
    )
    assert updates[-1].status == "COMPLETED" and result["images"], updates
    return [update.status for update in updates]


@check("examples: errors")
def _():
    once = Comfy(api_key=API_KEY, retry=NO_RETRY)
    unknown = raised(once.models.run, "acme/nothing", {"prompt": "a cat"})
    assert isinstance(unknown, ModelNotFound) and unknown.request_id and unknown.idempotency_key, unknown
    wrong = raised(once.models.run, "bfl/flux-2-pro", {"prompt": 1})
    assert isinstance(wrong, InvalidInput) and wrong.errors, wrong
    refused = raised(Comfy(api_key="wrong", retry=NO_RETRY).models.run, "bfl/flux-2-pro", {"prompt": "a cat"})
    assert isinstance(refused, RouterError) and refused.error_type == "unauthorized", refused
    patient = Comfy(api_key=API_KEY, retry=RetryPolicy(max_elapsed=300.0, retry_collectable=False))
    assert patient.models.run("bfl/flux-2-pro", {"prompt": "a cat"})["images"]
    return unknown, wrong


@check("examples: async")
async def _():
    async with AsyncComfy(api_key=API_KEY) as other:
        job = await other.run(other.workflows.from_file("workflow.json"))
        await job.outputs[0].to_file("out.png")
        await (await other.models.submit("fal-ai/flux-pro", {"prompt": "a cat"})).cancel()
        handle = await other.models.submit("fal-ai/flux-pro", {"prompt": "a dog"})
        seen = [update.status async for update in handle.iter_events()]
        assert (await handle.get())["images"] and seen[-1] == "COMPLETED", seen
        result = await other.models.run("bfl/flux-2-pro", {"prompt": "a cat"})
        assert result["images"], result
        return job.id, seen
