"""Drives comfy-catapult: a scheduler that submits jobs, follows them on a socket and by polling, and fetches files."""

import uuid

from anyio import Path
from comfy_catapult.api_client import ComfyAPIClient
from comfy_catapult.catapult import ComfyCatapult
from comfy_catapult.errors import JobFailed, WorkflowSubmissionError
from comfy_catapult.remote_file_api_comfy import ComfySchemeRemoteFileAPI
from driver import SERVER, check, load, picture, raised


async def with_client(use):
    async with ComfyAPIClient(comfy_api_url=SERVER) as client:
        return await use(client)


async def catapult(graph):
    """The history entry of a job that has ended."""

    async def run(client):
        async with ComfyCatapult(comfy_client=client, debug_path=None) as scheduler:
            job_id = str(uuid.uuid4())
            return await scheduler.Catapult(
                job_id=job_id, prepared_workflow=graph, important=("9",)
            )

    return await with_client(run)


@check("submit")
async def _():
    ticket = await with_client(lambda one: one.PostPrompt(prompt_workflow=load("workflow")))
    assert ticket.prompt_id and not ticket.error, ticket
    return ticket


images = []


@check("follow")
async def _():
    job = await catapult(load("workflow", 8))
    images.extend(job["outputs"]["9"]["images"])
    return images


@check("download")
async def _():
    (image,) = images
    where = {"subfolder": image["subfolder"], "filename": image["filename"]}
    return picture(await with_client(lambda one: one.GetView(folder_type=image["type"], **where)))


@check("failed-run")
def _():
    error = raised(catapult, load("failing", 9))
    assert isinstance(error, JobFailed), error
    return error


@check("refused-graph")
def _():
    error = raised(catapult, load("refused"))
    assert isinstance(error, WorkflowSubmissionError), error
    assert "no-such-sampler" in str(error.ticket), error.ticket
    return error.ticket


@check("upload")
async def _():
    files = ComfySchemeRemoteFileAPI(comfy_api_urls=[SERVER], overwrite=True)
    target = f"comfy+{SERVER}/input/mine/input.png"
    url = await files.UploadFile(src_path=Path("input.png"), untrusted_dst_url=target)
    await files.DownloadFile(untrusted_src_url=url, dst_path=Path("again.png"))
    return url, picture(await Path("again.png").read_bytes(), (256, 256))


@check("queue")
async def _():
    stats = await with_client(lambda one: one.GetSystemStats())
    return stats.system, await with_client(lambda one: one.GetQueue())
