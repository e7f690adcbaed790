"""What the suite sets on its server, as a scenario of flowdouble, and what it reads there, from the requests received."""

from __future__ import annotations

import base64
import copy
import json
import re
from typing import Any

JOBS, ASSETS, MODELS = "/api/v2/jobs", "/api/v2/assets", "/v2/models"
RUN, SUBMIT = f"{MODELS}/*/*", f"{MODELS}/*/*/requests"
REQUEST = f"{SUBMIT}/*"
NEVER = 10_000
"""From so many polls on, a job or a request is not meant to end."""
KEPT_MS = 86_400_000
KEYS = (
    "test-key ck_test ck_super_secret ck_live_test comfyui-test comfyui-test-key comfyui-explicit comfyui-from-env "
    "k-async k-discover k-first k-rotated k-router k-run"
).split()
"""The keys that the suite sends, each that of an account."""
MODEL_IDS = ("acme/flux-dev", "acme/fast-sdxl", "bfl/flux-2-pro")
"""The models that the suite calls."""


PICTURE, VIDEO = "openai/gpt-image-2", "byteplus/dreamina-seedance-2-0-260128"
_any = {"type": "object"}
_picture, _video = {"media": "png"}, {"media": "mp4"}
_filmed = {"status": "succeeded", "content": {"video_url": _video}}
LIVE = {
    "version": 1,
    "modelTypes": {
        PICTURE: {"input": _any, "output": {"data": [{"url": _picture}]}, "providers": ["fal"]},
        VIDEO: {"input": _any, "output": _filmed, "providers": ["fal"]},
    },
    # Strict calls have the input of the provider, and its output.
    "models": [
        {
            "model": PICTURE,
            "where": {"image_size": {"width": 1024, "height": 1024}},
            "output": {"images": [{"url": _picture}]},
        }
    ],
}
"""The models that the tests for a server of the vendor call."""


def initial() -> dict[str, Any]:
    """What the suite can set, as it is before: a server on which everything succeeds."""
    catalog_entry = {
        "id": "bfl/flux-2-pro",
        "provider": "bfl",
        "model": "flux-2-pro",
        "billing": {"charges_on_policy_rejection": "unknown"},
    }
    return {
        "require_auth": False,
        # Assets and their content.
        "known_hashes": set(),
        "reject_hash_mismatch": False,
        "content_bytes": bytes(range(40)),
        "redirect_content_to": None,
        # Jobs.
        "queue_full_times": 0,
        "queue_full_times_no_retry_after": 0,
        "queue_full_retry_after_header": None,
        "retryable_429_times": 0,
        "job_error": None,
        "job_error_message": None,
        "job_metadata": None,
        "job_not_found": False,
        "job_outputs": None,
        "polls_to_succeed": 1,
        "terminal_status": "succeeded",
        "sse_mode": "normal",
        "stall_seconds": 2.0,
        "events_error": None,
        "events_not_implemented": False,
        "job_workflow_graph": None,
        "job_workflow_format": "api",
        "job_workflow_not_found": False,
        # The list of jobs.
        "job_list_pages": None,
        "job_list_body": None,
        "job_list_error": None,
        "job_list_429_at": set(),
        "job_list_retry_after": "0",
        "job_list_next_cursor_at": {},
        # Model runs.
        "model_run_result": {"pictures": [{"url": "http://pictures.invalid/1.png"}], "seed": 11},
        "model_run_delay": 0.0,
        "model_run_error": None,
        "model_run_fail_times": 0,
        "model_run_transient_error": (503, "internal_error"),
        "model_run_status": 200,
        "model_run_undecodable_body": False,
        "model_run_undecodable_content_type": "application/json",
        "model_run_binary_body": None,
        "model_run_binary_content_type": "audio/mpeg",
        "model_run_replays_idempotency_key": False,
        "model_run_replays_lost_result": False,
        "model_run_collects_after_deadline": False,
        "model_run_retry_after": None,
        "model_run_request_id": None,
        "model_run_response_headers": {},
        "model_run_v2_key_rule": False,
        "model_run_router_error_shape": False,
        "model_run_error_detail": None,
        "model_run_validation_detail": None,
        "model_run_validation_error_type": "invalid_input",
        "model_run_idempotency": {},
        "model_run_replay_store": {},
        # The catalog.
        "catalog_pages": {
            None: {"data": [catalog_entry], "has_more": False, "next_cursor": None, "limit": 20}
        },
        "catalog_error": None,
        "catalog_fail_times": 0,
        "schema_document": {"openapi": "3.1.0", "info": {"title": "a model"}},
        "schema_etag": '"schema-v1"',
        "schema_models": {"bfl/flux-2-pro"},
        "schema_error": None,
        # The queue of models.
        "queue_submit_error": None,
        "queue_submit_fail_times": 0,
        "queue_submit_transient_error": (429, "rate_limited"),
        "queue_submit_transient_retry_after": "1",
        "queue_submit_omits_request_id": False,
        "queue_request_id": None,
        "queue_polls_to_complete": 2,
        "queue_pending_status": "IN_QUEUE",
        "queue_start_position": 2,
        "queue_status_retry_after": None,
        "queue_status_error": None,
        "queue_status_fail_times": 0,
        "queue_status_transient_error": (429, "rate_limited"),
        "queue_status_transient_retry_after": "1",
        "queue_status_omits_status": False,
        "queue_error_type": None,
        "queue_error_detail": "a model of the suite fails",
        "queue_result_error_type": None,
        "queue_result_extra": {},
        "queue_result": {"pictures": [{"url": "http://pictures.invalid/2.png"}], "seed": 12},
        "queue_result_raw": None,
        "queue_result_binary_body": None,
        "queue_result_binary_content_type": "audio/mpeg",
        "queue_cancel_status": 202,
        "queue_cancel_fail_times": 0,
        "queue_cancel_transient_error": (429, "rate_limited"),
        "queue_cancel_transient_retry_after": "1",
        "queue_cancel_refusal": None,
        "queue_cancel_error_type": None,
    }


def job_body(
    job_id: str, status: str, outputs: list[Any] | None = None, metadata: Any = None
) -> dict[str, Any]:
    """A job that no server has run, for tests that choose its members."""
    at = "2026-07-10T18:20:00Z"
    link = f"{JOBS}/{job_id}"
    job = {
        "id": job_id,
        "status": status,
        "created_at": at,
        "started_at": None,
        "completed_at": None,
        "expires_at": "2026-07-11T18:20:00Z",
        "queue_position": None,
        "progress": None,
        "outputs": outputs or [],
        "error": None,
        "metrics": {},
        "urls": {"self": link, "events": f"{link}/events", "cancel": f"{link}/cancel"},
    }
    return job if metadata is None else {**job, "metadata": metadata}


def output_body(node_id: str, asset_id: str) -> dict[str, Any]:
    """An output of such a job."""
    return {
        "node_id": node_id,
        "name": f"{asset_id}.png",
        "type": "image",
        "content_type": "image/png",
        "size_bytes": 40,
        "id": asset_id,
        "hash": None,
        "url": "http://pictures.invalid/3.png",
        "url_expires_at": "2026-07-10T19:20:00Z",
        "job_id": "job_01",
    }


def asset_body(asset_id: str, hash: str) -> dict[str, Any]:
    """An asset whose bytes only its hash is known of."""
    return {
        "id": asset_id,
        "hash": hash,
        "size_bytes": 40,
        "content_type": "image/png",
        "file_path": "photo.png",
        "created_new": False,
        "created_at": "2026-07-10T18:00:00Z",
        "url": "http://pictures.invalid/4.png",
        "url_expires_at": "2026-07-10T19:00:00Z",
    }


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def answer(method: str, path: str, **reply: Any) -> dict[str, Any]:
    return {"method": method, "path": path, **reply}


def fault(method: str, path: str, *, times: int | None = None, **then: Any) -> dict[str, Any]:
    limit = {} if times is None else {"times": times}
    return {"when": {"method": method, "path": path}, "then": then, **limit}


def v2_error(code: str, message: str = "the suite says so") -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def router_error(status: int, code: str, retry_after: str | None, detail: str = "err") -> dict[str, Any]:
    """The members of a fault that answers as the Router does."""
    pace = {"Retry-After": retry_after} if retry_after else {}
    body = {"detail": detail, "error_type": code}
    return {"status": status, "headers": {"X-Comfy-Error-Type": code, **pace}, "body": body}


class Script:
    """The scenario that does what the suite has set."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        self.nodes: list[Any] = []
        self.answers: list[Any] = []
        self.faults: list[Any] = []
        self.models: list[Any] = []
        self._jobs()
        self._streams()
        self._listed_jobs()
        self._assets()
        self._runs()
        self._catalog()
        self._queue()

    def scenario(self) -> dict[str, Any]:
        return {
            "version": 1,
            "nodes": self.nodes,
            "answers": self.answers,
            "faults": self.faults,
            "models": self.models,
        }

    def _jobs(self) -> None:
        s = self.state
        never = s["polls_to_succeed"] >= NEVER
        # Long enough to be seen running, also by a stream that drops.
        duration = KEPT_MS if never else 1200 if s["polls_to_succeed"] > 1 else 150
        content = {"filename": "made.bin", "base64": encoded(s["content_bytes"])}
        node: dict[str, Any] = {
            "class_type": "KSampler",
            "durationMs": duration,
            "steps": 4,
            "preview": "none",
            "outputs": {"images": [content]},
        }
        if s["terminal_status"] == "failed":
            node |= {"exception_type": "RuntimeError", "exception_message": "failed on purpose"}
        self.nodes.append(node)
        full = v2_error("queue_full")
        submit = ("POST", JOBS)
        refusals = [
            (s["queue_full_times"], {"headers": {"Retry-After": "0"}, "body": full}),
            (s["queue_full_times_no_retry_after"], {"headers": {}, "body": full}),
            (
                0 if s["queue_full_retry_after_header"] is None else 1,
                {"headers": {"Retry-After": s["queue_full_retry_after_header"]}, "body": full},
            ),
            (
                s["retryable_429_times"],
                {"headers": {"Retry-After": "0"}, "body": v2_error("deployment_not_ready")},
            ),
        ]
        for times, reply in refusals:
            if times > 0:
                self.faults.append(fault(*submit, times=times, status=429, **reply))
        if s["job_error"] is not None:
            status, code = s["job_error"]
            message = s["job_error_message"] or "the suite says so"
            self.faults.append(fault(*submit, status=status, body=v2_error(code, message)))
        if s["job_not_found"]:
            self.faults.append(fault("GET", f"{JOBS}/*", status=404, body=v2_error("job_not_found")))
        labels = s["job_metadata"]
        made = None if s["job_outputs"] is None else s["job_outputs"]
        named = JOBS + "/*" if labels is not None or made is not None else None
        ids = ["job_01", "whatever"] if named is None else ["*"]
        for job in ids:
            known = job_body("job_01" if job == "*" else job, "succeeded", made, labels)
            self.answers.append(answer("GET", f"{JOBS}/{job}", json=known))
            ending = {**known, "status": "canceling", "outputs": []}
            self.answers.append(answer("POST", f"{JOBS}/{job}/cancel", json=ending))
        if labels is not None:
            self.answers.append(
                answer("POST", JOBS, status=201, json=job_body("job_01", "queued", [], labels))
            )
        if s["job_workflow_not_found"]:
            gone = v2_error("job_not_found")
            self.faults.append(fault("GET", f"{JOBS}/*/workflow", status=404, body=gone))
        if s["job_workflow_graph"] is not None:
            said = {"workflow": s["job_workflow_graph"], "format": s["job_workflow_format"]}
            self.answers.append(answer("GET", f"{JOBS}/*/workflow", json=said))

    def _streams(self) -> None:
        s = self.state
        events = ("GET", f"{JOBS}/*/events")
        if s["events_not_implemented"]:
            self.faults.append(fault(*events, status=501, body=v2_error("not_implemented")))
        if s["events_error"] is not None:
            status, code = s["events_error"]
            self.faults.append(fault(*events, status=status, body=v2_error(code)))
        last = {"message": "status", "data": {"status": "succeeded"}}
        if s["sse_mode"] == "reconnect" and s["polls_to_succeed"] > 1:
            # It drops at the second progress, while the job goes on.
            when = {"message": "progress", "nth": 2}
            self.faults.append({"when": when, "then": {"close": 1001}, "times": 1})
            # The second stream has the progress that it begins with, and no further one.
            when = {"message": "progress", "nth": list(range(4, 12))}
            self.faults.append({"when": when, "then": {"skip": True}})
        elif s["sse_mode"] == "reconnect":
            self.faults.append({"when": last, "then": {"close": 1001}, "times": 1})
        if s["sse_mode"] == "stall":
            # Its status and the progress that it begins with, and then nothing.
            ends = s["stall_seconds"] < 1
            then = {"delayMs": s["stall_seconds"] * 1000, "close": 1001} if ends else {"silence": True}
            self.faults.append({"when": {"message": "output"}, "then": then, "times": 1})
            for message in ("output", "progress", "status") if ends else ():
                when = {"message": message, "nth": list(range(2, 12))}
                self.faults.append({"when": when, "then": {"skip": True}})

    def _listed_jobs(self) -> None:
        s = self.state
        path = ("GET", JOBS)
        if s["job_list_error"] is not None:
            status, code, message = s["job_list_error"]
            self.faults.append(fault(*path, status=status, body=v2_error(code, message)))
        if s["job_list_429_at"]:
            pace = s["job_list_retry_after"]
            headers = {} if pace is None else {"Retry-After": pace}
            numbers = sorted(at + 1 for at in s["job_list_429_at"])
            then = {"status": 429, "headers": headers, "body": v2_error("rate_limited")}
            self.faults.append({"when": {"method": "GET", "path": JOBS, "nth": numbers}, "then": then})
        if s["job_list_body"] is not None:
            self.answers.append(answer(*path, json=s["job_list_body"]))
        pages = s["job_list_pages"] or []
        for number in reversed(range(len(pages))):
            page = {} if pages[number] is None else {"jobs": pages[number]}
            if number + 1 < len(pages):
                page["next_cursor"] = f"page-{number + 1}"
            # The requests of a walk come page by page.
            if number in s["job_list_next_cursor_at"]:
                page["next_cursor"] = s["job_list_next_cursor_at"][number]
            query = {"query": {"cursor": f"page-{number}"}} if number > 0 else {}
            self.answers.append(answer(*path, json=page, **query))

    def _assets(self) -> None:
        s = self.state
        for hash in sorted(s["known_hashes"]):
            self.answers.append(answer("HEAD", f"{ASSETS}/by-hash/{hash}", text=""))
            minted = asset_body("asset_dedup_01", hash)
            self.answers.append(answer("POST", f"{ASSETS}/from-hash", status=201, json=minted))
        if s["reject_hash_mismatch"]:
            mismatch = v2_error("hash_mismatch")
            self.faults.append(fault("POST", ASSETS, status=409, body=mismatch))
        content = f"{ASSETS}/*/content"
        if s["redirect_content_to"] is not None:
            self.faults.append(fault("GET", content, status=302, location=s["redirect_content_to"]))
        inline = [content] if s.get("serves_content") else [f"{ASSETS}/asset_out_01/content"]
        for path in inline:
            body = encoded(s["content_bytes"])
            self.answers.append(answer("GET", path, base64=body))
        # Assets that nobody has uploaded, but that the suite deletes.
        for id in ("asset_uuid_01", "asset_out_01"):
            self.answers.append(answer("DELETE", f"{ASSETS}/{id}", status=204, times=1))

    def _runs(self) -> None:
        s = self.state
        rule: dict[str, Any] = {"by": "run", "durationMs": s["model_run_delay"] * 1000}
        # What a run costs is said only where a test says so.
        headers = {"X-Comfy-Credits-Used": None, **s["model_run_response_headers"]}
        if s["model_run_request_id"] is not None:
            headers["X-Comfy-Request-Id"] = s["model_run_request_id"]
        rule["headers"] = headers
        if s["model_run_undecodable_body"]:
            rule["file"] = {"text": "<p>502 from an intermediary</p>"}
            rule["contentType"] = s["model_run_undecodable_content_type"]
        elif s["model_run_binary_body"] is not None:
            rule["file"] = {"base64": encoded(s["model_run_binary_body"])}
            rule["contentType"] = s["model_run_binary_content_type"] or ""
        else:
            rule["output"] = s["model_run_result"]
        if s["model_run_status"] != 200:
            self._created(rule)
        elif s["model_run_validation_detail"] is not None:
            self._refused_fields()
        elif s["model_run_replays_lost_result"] and s["model_run_error"] is not None:
            status, code = s["model_run_error"]
            lost = {"nth": 1, "error": code, "status": status, "kept": True}
            self.models.append({**rule, **lost})
        else:
            self._failing_runs()
        self.models.append(rule)

    def _created(self, rule: dict[str, Any]) -> None:
        content = {"json": rule["output"]} if "output" in rule else dict(rule["file"])
        kind = rule.get("contentType")
        headers = {"Content-Type": kind} if kind else {}
        status = self.state["model_run_status"]
        self.answers.append(answer("POST", RUN, status=status, headers=headers, **content))

    def _refused_fields(self) -> None:
        s = self.state
        headers = {"X-Comfy-Error-Type": s["model_run_validation_error_type"]}
        # A text, since the suite compares it as Python writes JSON.
        body = json.dumps({"detail": s["model_run_validation_detail"]})
        headers["Content-Type"] = "application/json"
        self.faults.append(fault("POST", RUN, status=422, headers=headers, body=body))

    def _failing_runs(self) -> None:
        s = self.state
        claimed = {"status": 422, "body": v2_error("idempotency_key_reuse")}
        if s["model_run_idempotency"]:
            self.faults.append(fault("POST", RUN, **claimed))
        status, code = s["model_run_transient_error"]
        keeps = s["model_run_replays_idempotency_key"] or s["model_run_collects_after_deadline"]
        keeps_key = keeps and s["model_run_error"] is None
        if s["model_run_fail_times"] > 0 and status >= 500 and keeps_key:
            # A failure of the Router itself, after which the same key has the output.
            calls = list(range(1, s["model_run_fail_times"] + 1))
            rule: dict[str, Any] = {"nth": calls, "error": code, "status": status, "kept": True}
            if s["model_run_retry_after"] is not None:
                rule["retryAfter"] = int(s["model_run_retry_after"])
            self.models.append({"by": "run", **rule})
        elif s["model_run_fail_times"] > 0:
            self._failing_run(s["model_run_transient_error"], s["model_run_fail_times"])
        if s["model_run_error"] is None:
            return
        loses_key = s["model_run_v2_key_rule"] and s["model_run_error"][0] >= 500
        self._failing_run(s["model_run_error"], 1 if loses_key else None)
        if loses_key:
            self.faults.append(fault("POST", RUN, **claimed))

    def _failing_run(self, error: tuple[int, str], times: int | None) -> None:
        s = self.state
        status, code = error
        detail = s["model_run_error_detail"] or f"the suite says {code}"
        then = router_error(status, code, s["model_run_retry_after"], detail)
        if not s["model_run_router_error_shape"]:
            then["body"] = v2_error(code, detail)
            del then["headers"]["X-Comfy-Error-Type"]
        if s["model_run_request_id"] is not None:
            then["headers"]["X-Comfy-Request-Id"] = s["model_run_request_id"]
        self.faults.append(fault("POST", RUN, times=times, **then))

    def _catalog(self) -> None:
        s = self.state
        id_header = {"X-Comfy-Request-Id": "req_discovery_01"}
        if s["catalog_fail_times"] > 0:
            then = router_error(429, "rate_limited", "1")
            self.faults.append(fault("GET", MODELS, times=s["catalog_fail_times"], **then))
        if s["catalog_error"] is not None:
            self.faults.append(fault("GET", MODELS, **router_error(*s["catalog_error"], None)))
        # The first page last, as it takes every query.
        for cursor, page in sorted(s["catalog_pages"].items(), key=lambda one: one[0] is None):
            query = {} if cursor is None else {"query": {"cursor": cursor}}
            self.answers.append(answer("GET", MODELS, json=page, headers=id_header, **query))
        schema = f"{RUN}/openapi.json"
        if s["schema_error"] is not None:
            self.faults.append(fault("GET", schema, **router_error(*s["schema_error"], None)))
        for model in sorted(s["schema_models"]):
            path = f"{MODELS}/{model}/openapi.json"
            headers = {**id_header, "ETag": s["schema_etag"]}
            known = {"status": 304} if s.get("knows_schema") else {"json": s["schema_document"]}
            self.answers.append(answer("GET", path, headers=headers, **known))

    def _queue(self) -> None:
        s = self.state
        self.models.append({"by": "submit", "neverEnds": True})
        for kind, method, path in (
            ("submit", "POST", SUBMIT),
            ("status", "GET", f"{REQUEST}/status"),
            ("cancel", "PUT", f"{REQUEST}/cancel"),
        ):
            times = s[f"queue_{kind}_fail_times"]
            if times > 0:
                status, code = s[f"queue_{kind}_transient_error"]
                then = router_error(status, code, s[f"queue_{kind}_transient_retry_after"])
                self.faults.append(fault(method, path, times=times, **then))
            error = s.get(f"queue_{kind}_error")
            if error is not None:
                self.faults.append(fault(method, path, **router_error(*error, None)))
        if s["queue_submit_omits_request_id"] or s["queue_request_id"] is not None:
            body = {"status": "IN_QUEUE"}
            if not s["queue_submit_omits_request_id"]:
                body["request_id"] = s["queue_request_id"]
            self.answers.append(answer("POST", SUBMIT, json=body))
        if s["queue_cancel_refusal"] is not None:
            status, body = s["queue_cancel_refusal"]
            self.faults.append(fault("PUT", f"{REQUEST}/cancel", status=status, body=body))
        if s["queue_cancel_status"] == 204:
            self.answers.append(answer("PUT", f"{REQUEST}/cancel", status=204))
        self._polls()
        self._result()

    def _polls(self) -> None:
        s = self.state
        pace = s["queue_status_retry_after"]
        headers = {} if pace is None else {"Retry-After": pace}
        path = ("GET", f"{REQUEST}/status")
        if s["queue_status_omits_status"]:
            self.answers.append(answer(*path, json={"request_id": "r"}))
            return
        waiting = min(s["queue_polls_to_complete"], 50)
        for poll in range(waiting):
            body = {"request_id": "r", "status": s["queue_pending_status"]}
            body["queue_position"] = max(s["queue_start_position"] - poll, 0)
            isLast = poll == waiting - 1 and s["queue_polls_to_complete"] >= NEVER
            times = {} if isLast else {"times": 1}
            self.answers.append(answer(*path, json=body, headers=headers, **times))
        done: dict[str, Any] = {"request_id": "r", "status": "COMPLETED"}
        if s["queue_error_type"] is not None:
            done |= {"error_type": s["queue_error_type"], "detail": s["queue_error_detail"]}
        self.answers.append(answer(*path, json=done, headers=headers))

    def _result(self) -> None:
        s = self.state
        path = ("GET", REQUEST)
        if s["queue_result_binary_body"] is not None:
            kind = s["queue_result_binary_content_type"]
            headers = {} if kind is None else {"Content-Type": kind}
            body = encoded(s["queue_result_binary_body"])
            self.answers.append(answer(*path, base64=body, headers=headers))
            return
        result = s["queue_result_raw"] or {**s["queue_result"], **s["queue_result_extra"]}
        if s["queue_result_error_type"] is not None:
            result = {"request_id": "r", "status": "COMPLETED", "error_type": s["queue_result_error_type"]}
        self.answers.append(answer(*path, json=result))


class Received:
    """What the suite reads of its server, from the requests of a world."""

    def __init__(self, requests: list[Any]) -> None:
        self.all = [one for one in requests if re.match(r"/api/v2/|/v2/models", one["path"])]

    def to(self, method: str, path: str) -> list[Any]:
        """The requests of a path, in which * is one segment."""
        pattern = re.escape(path).replace(r"\*", "[^/]+") + "$"
        return [one for one in self.all if one["method"] == method and re.match(pattern, one["path"])]

    def keys(self, method: str, path: str) -> list[str | None]:
        return [one["headers"].get("idempotency-key") for one in self.to(method, path)]

    def queries(self, path: str) -> list[dict[str, list[str]]]:
        return [{name: [value] for name, value in one["query"].items()} for one in self.to("GET", path)]

    @property
    def last_auth_header(self) -> str | None:
        """Each account has one key, and its requests have that."""
        if not self.all:
            return None
        last = self.all[-1]
        if "authorization" not in last["headers"]:
            return ""
        user = last.get("user")
        return f"Bearer {KEYS[int(user[4:])]}" if user else "Bearer of nobody"

    @property
    def last_user_agent(self) -> str | None:
        return self.all[-1]["headers"].get("user-agent", "") if self.all else None

    @property
    def queue_paths(self) -> list[str]:
        return [one["path"] for one in self.all if "/requests" in one["path"]]


def last(found: list[Any], member: str = "body") -> Any:
    return found[-1][member] if found else None


def segment(found: list[Any], number: int) -> str | None:
    return last(found, "path").split("/")[number] if found else None


def uploaded(body: Any) -> bytes:
    """The texts of a form as a client sends them, from its fields."""
    parts = [f'name="{one["name"]}"\r\n\r\n{one.get("text")}\r\n' for one in body["fields"]]
    return "".join(parts).encode()


READINGS: dict[str, Any] = {
    "last_auth_header": lambda r: r.last_auth_header,
    "last_user_agent": lambda r: r.last_user_agent,
    "submit_count": lambda r: len(r.to("POST", JOBS)),
    "last_jobs_body": lambda r: last(r.to("POST", JOBS)),
    "last_workflow": lambda r: last(r.to("POST", JOBS))["workflow"],
    "jobs_idempotency_keys": lambda r: r.keys("POST", JOBS),
    "events_connect_count": lambda r: len(r.to("GET", f"{JOBS}/*/events")),
    "job_list_queries": lambda r: r.queries(JOBS),
    "job_list_paths": lambda r: [one["path"] + ("?" if one["query"] else "") for one in r.to("GET", JOBS)],
    "upload_count": lambda r: len(r.to("POST", ASSETS)),
    "from_hash_count": lambda r: len(r.to("POST", f"{ASSETS}/from-hash")),
    "head_count": lambda r: len(r.to("HEAD", f"{ASSETS}/by-hash/*")),
    "last_upload_body": lambda r: uploaded(last(r.to("POST", ASSETS))),
    "delete_count": lambda r: len(r.to("DELETE", f"{ASSETS}/*")),
    "model_run_count": lambda r: len(r.to("POST", RUN)),
    "model_run_idempotency_keys": lambda r: r.keys("POST", RUN),
    # One key is one generation.
    "model_run_generations": lambda r: len(set(r.keys("POST", RUN))),
    "last_model_run_body": lambda r: last(r.to("POST", RUN)),
    "last_model_run_path": lambda r: last(r.to("POST", RUN), "path"),
    "last_model_run_provider": lambda r: segment(r.to("POST", RUN), 3),
    "last_model_run_model": lambda r: segment(r.to("POST", RUN), 4),
    "catalog_queries": lambda r: r.queries(MODELS),
    "schema_paths": lambda r: [one["path"] for one in r.to("GET", f"{RUN}/openapi.json")],
    "schema_if_none_match": lambda r: [
        one["headers"].get("if-none-match") for one in r.to("GET", f"{RUN}/openapi.json")
    ],
    "queue_submit_count": lambda r: len(r.to("POST", SUBMIT)),
    "queue_submit_idempotency_keys": lambda r: r.keys("POST", SUBMIT),
    "last_queue_submit_body": lambda r: last(r.to("POST", SUBMIT)),
    "last_queue_provider": lambda r: segment(r.to("POST", SUBMIT), 3),
    "last_queue_model": lambda r: segment(r.to("POST", SUBMIT), 4),
    "queue_status_count": lambda r: len(r.to("GET", f"{REQUEST}/status")),
    "queue_status_served": lambda r: sum(one["status"] == 200 for one in r.to("GET", f"{REQUEST}/status")),
    "queue_result_count": lambda r: len(r.to("GET", REQUEST)),
    "queue_cancel_count": lambda r: len(r.to("PUT", f"{REQUEST}/cancel")),
    "queue_cancel_methods": lambda r: [one["method"] for one in r.all if one["path"].endswith("/cancel")],
    "queue_paths": lambda r: r.queue_paths,
}


class State:
    """What the suite has as `server.state`: what it sets becomes a scenario, what it reads comes from the requests."""

    def __init__(self, world: Any) -> None:
        vars(self).update(_world=world, _set=initial(), _loaded="", _before={})

    def __setattr__(self, name: str, value: Any) -> None:
        if name in READINGS:
            # A count that starts again, and with it the script.
            vars(self)["_loaded"] = ""
            self._before[name] = READINGS[name](self._received()) - value
            return
        self._set[name] = value
        if name == "require_auth" and value:
            self._forget_key()

    def __getattr__(self, name: str) -> Any:
        if name in READINGS:
            value = READINGS[name](self._received())
            return value - self._before[name] if name in self._before else value
        if name == "queue_request_id" and self._set[name] is None:
            return self._issued_id()
        return self._set[name]

    def _received(self) -> Received:
        return Received(self._world.requests())

    def _issued_id(self) -> str | None:
        """The id of the latest accepted request, from the recording of its response."""
        entries = self._world.recording()["log"]["entries"]
        replies = [
            json.loads(one["response"]["content"]["text"])
            for one in entries
            if one["request"]["method"] == "POST" and one["request"]["url"].endswith("/requests")
        ]
        return replies[-1]["request_id"] if replies else None

    def _load(self) -> None:
        """Loads the scenario if it has changed, before a request is sent."""
        scenario = Script(copy.deepcopy(self._set)).scenario()
        text = json.dumps(scenario, sort_keys=True)
        if text != self._loaded:
            self._world.load(scenario)
            vars(self)["_loaded"] = text
