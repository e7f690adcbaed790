"""Drives comfyapi: a manager that submits a workflow, polls its history, and downloads its output."""

from pathlib import Path

from comfyapi import ComfyAPIManager, ExecutionError, QueueError
from driver import SERVER, check, picture, raised

manager = ComfyAPIManager()
manager.set_base_url(SERVER)


def submit(name, seed=7):
    manager.load_workflow(name + ".json")
    manager.edit_workflow(["3", "inputs", "seed"], seed)
    return manager.submit_workflow()


@check("submit")
def _():
    return submit("workflow")


outputs = []


@check("follow")
def _():
    outputs.append(manager.wait_for_finish(submit("workflow", 8), poll_interval=0.1, max_wait_time=30))
    return outputs[0]


@check("download")
def _():
    filename, url = outputs[0]
    manager.download_output(url, save_path=".", filename=filename)
    return picture(Path(filename).read_bytes())


@check("failed-run")
def _():
    prompt_id = submit("failing", 9)
    error = raised(manager.wait_for_finish, prompt_id, poll_interval=0.1, max_wait_time=30)
    assert isinstance(error, ExecutionError), error
    return error


@check("refused-graph")
def _():
    error = raised(submit, "refused")
    assert isinstance(error, QueueError) and "400" in str(error), error
    return error


@check("batch")
def _():
    manager.load_workflow("workflow.json")
    prompt_ids = manager.batch_submit(seeds=[20, 21])
    for prompt_id in prompt_ids:
        manager.wait_for_finish(prompt_id, poll_interval=0.1, max_wait_time=30)
    return prompt_ids
