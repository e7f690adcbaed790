"""Drives comfy-cli with --where cloud: the same commands against a hosted server."""

import json
import os
from pathlib import Path

from driver import API_KEY, SERVER, answer, check, load, picture

os.environ.update(COMFY_CLOUD_BASE_URL=SERVER, COMFY_CLOUD_API_KEY=API_KEY)


def comfy(*args, code=0):
    return answer("comfy", "--skip-prompt", "--json", "--where", "cloud", *args, code=code)


def run(name, graph, *args, code=0):
    Path(name).write_text(json.dumps(graph))
    return comfy("run", "--workflow", name, *args, code=code)


@check("submit")
def _():
    return run("one.json", load("workflow"), "--no-watch")["data"]["prompt_id"]


jobs = []


@check("follow")
def _():
    jobs.append(run("two.json", load("workflow", 8), "--wait")["data"])
    assert jobs[0]["status"] == "completed", jobs[0]
    return jobs[0]["outputs_by_node"]


@check("download")
def _():
    (file,) = comfy("download", jobs[0]["prompt_id"], "--out-dir", "saved")["data"]["files"]
    return picture(Path(file["path"]).read_bytes())


@check("failed-run")
def _():
    error = run("three.json", load("failing", 9), "--wait", code=1)["error"]
    assert error["code"] == "execution_error", error
    status = comfy("jobs", "status", error["details"]["prompt_id"])
    assert "made to fail" in str(status), status
    return error


@check("refused-graph")
def _():
    graph = {
        "1": {"class_type": "LoadImage", "inputs": {"image": "missing.png"}},
        "2": {"class_type": "PreviewImage", "inputs": {"images": ["1", 0]}},
    }
    error = run("five.json", graph, "--wait", code=1)["error"]
    assert "missing.png" in str(error["details"]), error
    return error


@check("interrupt")
def _():
    prompt_id = run("six.json", load("slow"), "--no-watch")["data"]["prompt_id"]
    return comfy("jobs", "cancel", prompt_id)["data"], comfy("jobs", "wait", prompt_id, code=130)


@check("jobs")
def _():
    return [(job["prompt_id"], job["status"]) for job in comfy("jobs", "ls")["data"]["jobs"]]


@check("upload")
def _():
    return comfy("upload", "input.png")["data"]


@check("workflows")
def _():
    Path("saved.json").write_text(json.dumps(load("workflow")))
    name = f"saved by {os.getpid()}"
    workflow_id = comfy("workflow", "save", "saved.json", "--name", name)["data"]["workflow_id"]
    (listed,) = comfy("workflow", "list", "--name", name)["data"]["workflows"]
    assert (listed["id"], listed["latest_version"]) == (workflow_id, 1), listed
    comfy("workflow", "get", workflow_id, "--out", "got.json")
    assert json.loads(Path("got.json").read_text()) == load("workflow")
    comfy("workflow", "delete", workflow_id)
    error = comfy("workflow", "get", workflow_id, code=1)["error"]
    assert error["code"] == "workflow_not_found", error
    return listed


@check("billing")
def _():
    status = comfy("cloud", "status", "--plans")["data"]
    assert status["balance_confirmed"] and status["subscription"]["is_active"], status
    assert status["cloud_workspace"]["role"] == "owner", status
    return status["subscription"], status["credit_balance_credits"]


@check("sign-in")
def _():
    # The page of the sign-in, which a browser would open, redirects to the command.
    Path("browser.sh").write_text('#!/bin/sh\nexec curl -sL -o page.html "$1"\n')
    Path("browser.sh").chmod(0o755)
    del os.environ["COMFY_CLOUD_API_KEY"]
    os.environ["BROWSER"] = f"{Path('browser.sh').absolute()} %s"
    comfy("cloud", "login")
    who = comfy("cloud", "whoami")["data"]
    assert who["auth_method"] == "oauth", who
    jobs_listed = comfy("jobs", "ls")["data"]["count"]
    comfy("cloud", "logout")
    os.environ["COMFY_CLOUD_API_KEY"] = API_KEY
    return jobs_listed
