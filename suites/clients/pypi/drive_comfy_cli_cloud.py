"""Drives comfy-cli with --where cloud: the same commands against a hosted server."""

import json
import os
from pathlib import Path

from driver import API_KEY, SERVER, answer, check, command, load, picture

os.environ.update(COMFY_CLOUD_BASE_URL=SERVER, COMFY_CLOUD_API_KEY=API_KEY)
os.environ.update(COMFY_API_BASE_URL=SERVER, COMFY_API_KEY=API_KEY)


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


@check("watch")
def _():
    prompt_id = jobs[0]["prompt_id"]
    return [comfy("jobs", what, prompt_id)["data"]["status"] for what in ("status", "watch")]


@check("server")
def _():
    names = [row["name"] for row in comfy("nodes", "search", "sampler")["data"]["rows"]]
    assert comfy("nodes", "show", "KSampler")["data"]["name"] in names, names
    return comfy("free")["data"], comfy("system-stats")["data"].keys()


@check("models")
def _():
    folders = [one["name"] for one in comfy("model", "list-folders")["data"]["folders"]]
    files = comfy("model", "list-folder", "checkpoints")["data"]["files"]
    found = comfy("model", "search", "--type", "checkpoint")["data"]["rows"]
    assert "checkpoints" in folders and len(found) == len(files), (folders, found)
    return [row["name"] for row in found]


@check("assets")
def _():
    listed = comfy("assets", "library", "ls", "--tags", "input")["data"]["assets"]
    (known, *_) = [one["hash"] for one in listed if one.get("hash")]
    made = comfy("assets", "library", "ensure", "--hash", known, "--tags", "input")["data"]
    nothing = "blake3:" + 64 * "0"
    error = comfy("assets", "library", "ensure", "--hash", nothing, "--tags", "input", code=1)["error"]
    assert error["code"] == "asset_not_found", error
    return made


def generated(model, file, *args):
    made = command("comfy", "--json", "generate", model, *args, "--yes", "--download", file)
    assert made.returncode == 0, made.stderr
    return Path(file).read_bytes()


@check("partners")
def _():
    image = picture(generated("flux-2", "a.png", "--prompt", "a", "--width", "512", "--height", "512"))
    assert picture(generated("dalle", "b.png", "--prompt", "a"))
    video = generated("kling", "c.mp4", "--prompt", "a", "--model_name", "kling-v1")
    assert video[4:8] == b"ftyp", video[:12]
    uploads = [command("comfy", "generate", "upload", "input.png").stdout for _ in range(2)]
    assert "no bytes transferred" not in uploads[0] and "no bytes transferred" in uploads[1], uploads
    return image, len(video)


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
    for name in ("COMFY_CLOUD_API_KEY", "COMFY_API_KEY"):
        del os.environ[name]
    os.environ["BROWSER"] = f"{Path('browser.sh').absolute()} %s"
    comfy("cloud", "login")
    who = comfy("cloud", "whoami")["data"]
    assert who["auth_method"] == "oauth", who
    jobs_listed = comfy("jobs", "ls")["data"]["count"]
    comfy("cloud", "logout")
    os.environ["COMFY_CLOUD_API_KEY"] = API_KEY
    return jobs_listed
