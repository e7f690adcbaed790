"""Reads options as Python people write them, for the control API and for config files: names, files, scenarios."""

from __future__ import annotations

import difflib
import functools
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from flowdouble._command import output_of
from flowdouble._errors import FlowdoubleError

_WITH_JSON_FILES = {"accounts", "failures", "nodes", "object_info", "workflows"}
_PATHS = {"journal", "templates", "tls_cert", "tls_key", "web_root"}


def camel(name: str) -> str:
    """The name of an option on the wire: `for` is a keyword of Python."""
    return "for" if name == "workflows" else re.sub("_(.)", lambda at: at[1].upper(), name)


def names_of(options: Any) -> list[str]:
    """The names of the options that a TypedDict declares."""
    return sorted(options.__optional_keys__)


def require_known(given: Iterable[str], known: Sequence[str], what: str) -> None:
    """Raises a TypeError for an unknown name, with the one that was probably meant."""
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise TypeError(f"{what} has no option {name}.{meant} Options: {', '.join(known)}.")


def read_options(
    given: Mapping[str, Any],
    options: Any,
    *,
    what: str = "A world",
    folders: Sequence[Path] = (),
    deployment: str = "local",
) -> dict[str, Any]:
    """The options by their names on the wire, with the content of the files that they name.

    Relative paths begin at the first of `folders` in which they exist, by default at the current one. Raises a
    TypeError for an unknown option, and a FlowdoubleError for a file that cannot be read.
    """
    require_known(given, names_of(options), what)
    read: dict[str, Any] = {}
    for name, value in given.items():
        if name == "scenario":
            value = scenario_content(value, folders=folders, deployment=deployment)
        elif name in _WITH_JSON_FILES:
            value = _each(value, functools.partial(_json_content, folders=folders))
        elif name in _PATHS and value is not None:
            value = str(Path(value).absolute())
        read[camel(name)] = value
    return read


def scenario_content(given: Any, *, folders: Sequence[Path] = (), deployment: str = "local") -> Any:
    """The content of scenarios that are files; names and content stay as they are."""
    return _each(
        given, functools.partial(_scenario_content, folders=folders, deployment=deployment)
    )


def _each(value: Any, read: Callable[[Any], Any]) -> Any:
    """Reads one value, or each of several."""
    if isinstance(value, (list, tuple)):
        several = cast("Sequence[Any]", value)
        return [read(one) for one in several]
    return read(value)


def _scenario_content(given: Any, *, folders: Sequence[Path], deployment: str) -> Any:
    is_name = isinstance(given, str) and not re.search(r"[/\\]|\.(ya?ml|json)$", given, re.I)
    if is_name or not _is_path(given):
        return given
    path = _find(given, folders)
    return json.loads(_checked_scenario(str(path), path.stat().st_mtime_ns, deployment))


@functools.lru_cache
def _checked_scenario(path: str, _changed_ns: int, deployment: str) -> str:
    # Node reads YAML, and the files that the scenario names. Which node types there are is for the server to say.
    printed = output_of(
        "validate", path, "--content", "--deployment", deployment, "--unknown-nodes", "accept"
    )
    return json.dumps(json.loads(printed)[0])


def _json_content(given: Any, *, folders: Sequence[Path]) -> Any:
    if not _is_path(given):
        return given
    path = _find(given, folders)
    try:
        return json.loads(path.read_text("utf-8-sig"))
    except ValueError as error:
        raise FlowdoubleError(f"Cannot read {path}: it is not JSON ({error}).") from None


def _is_path(given: object) -> bool:
    return isinstance(given, str) or isinstance(given, os.PathLike)  # noqa: SIM101


def _find(name: str, folders: Sequence[Path]) -> Path:
    """The file with this name in the first folder that has one."""
    tried = [folder / name for folder in folders or [Path.cwd()]]
    for path in tried:
        if path.is_file():
            return path
    raise FlowdoubleError(f"There is no file {' or '.join(str(path) for path in tried)}.")
