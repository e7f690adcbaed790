"""Drives comfy-sdk against the second version of the hosted API."""

import os

import sdk
from comfy_sdk import Comfy
from driver import API_KEY, SERVER, check, load

os.environ["COMFY_BASE_URL"] = SERVER
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
