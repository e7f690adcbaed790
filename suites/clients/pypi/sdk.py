"""What the official SDK does with a deployment, whoever serves its API."""

from comfy_sdk import Comfy
from comfy_sdk.events import OutputReady, Progress, StatusChange
from comfy_sdk.exceptions import IdempotencyKeyReuse, InvalidWorkflow, JobFailed
from driver import check, load, picture, raised


def drive(client: Comfy):
    def submit(name, seed=7, **how):
        return client.submit(client.workflows.from_json(load(name, seed)), **how)

    jobs = []

    @check("submit")
    def _():
        job = submit("workflow")
        jobs.append(job)
        return job.id, job.wait(timeout=60).status

    @check("follow")
    def _():
        job = submit("workflow", 8)
        seen = list(job.events())
        assert seen[-1] == StatusChange("succeeded", seen[-1].queue_position), seen
        assert any(isinstance(event, Progress) and event.steps == 20 for event in seen), seen
        assert any(isinstance(event, OutputReady) for event in seen), seen
        jobs.append(job.refresh())
        return [type(event).__name__ for event in seen]

    @check("download")
    def _():
        (output,) = jobs[-1].get_outputs("9")
        output.to_file("saved.png")
        assert output.to_bytes(range=(0, 7)) == output.to_bytes()[:8]
        return output.name, picture(output.to_bytes())

    @check("failed-run")
    def _():
        error = raised(client.run, client.workflows.from_json(load("failing", 9)))
        assert isinstance(error, JobFailed) and error.error.node_id == "10", error
        return error.error

    @check("refused-graph")
    def _():
        error = raised(submit, "refused")
        assert isinstance(error, InvalidWorkflow), error
        return error.code, error

    @check("upload")
    def _():
        asset = client.assets.from_file("input.png")
        flow = client.workflows.from_json(
            {
                "1": {"class_type": "LoadImage", "inputs": {"image": "none"}},
                "2": {
                    "class_type": "SaveImage",
                    "inputs": {"images": ["1", 0], "filename_prefix": "again"},
                },
            }
        )
        flow.set_input("1", "image", asset)
        (output,) = client.run(flow).get_outputs("2")
        again = client.assets.from_file("input.png")
        again.commit()
        assert (asset.created_new, again.created_new) == (True, False), (asset, again)
        return asset.hash, picture(output.to_bytes(), (256, 256))

    @check("interrupt")
    def _():
        job = submit("slow")
        for event in job.events():
            if isinstance(event, Progress) and event.step:
                break
        job.cancel()
        assert job.wait(timeout=60).status == "canceled", job
        return job

    @check("idempotency")
    def _():
        submit("workflow", 10, idempotency_key="one-key")
        error = raised(submit, "workflow", 10, idempotency_key="one-key")
        assert isinstance(error, IdempotencyKeyReuse), error
        return error
