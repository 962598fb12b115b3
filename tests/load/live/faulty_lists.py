"""Lists of a server of which some have a fault: what the program makes of each, in little time."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

import pytest

from preflight.errors import InputError
from preflight.load.live import connection
from preflight.load.live.fetch import ListClient
from preflight.load.live.resources import ALL_RESOURCES, DAEMONSETS, NODES, ApiResource, ListQuery
from preflight.load.live.target import ClusterTarget
from tests.load.live.api_server import ApiServer
from tests.load.live.wire_faults import DRIPS, WIRE_FAULTS

_SECONDS = {"request": 10.0}
"""How long a request may take: little only where a fault drips, for a busy machine is slow."""

_STATUSES = ("no content", "a redirection")


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wait before a request is tried again, and little time for each."""
    monkeypatch.setattr(connection, "_LONGEST_WAIT", 0.0)
    monkeypatch.setitem(_SECONDS, "request", 10.0)
    opened = connection.ApiConnection.__init__

    def open_in_a_hurry(self: connection.ApiConnection, target: ClusterTarget) -> None:
        opened(self, target)
        self.timeout = _SECONDS["request"]

    monkeypatch.setattr(connection.ApiConnection, "__init__", open_in_a_hurry)


def plant(server: ApiServer, fault: str, resources: Container[str], seconds: float = 0.3) -> None:
    """Give the lists of some resources a fault; a request may take these seconds where it drips."""
    _SECONDS["request"] = seconds if fault in DRIPS else 10.0
    server.fault = lambda asked: WIRE_FAULTS[fault] if asked.resource in resources else None


def list_unnamed(fault: str, config: Path) -> list[str]:
    """The resources whose list is taken for a whole one, or whose error does not name it; every list has the fault."""
    others = [resource for resource in ALL_RESOURCES if resource not in (NODES, DAEMONSETS)]
    found = {**explain(config, [NODES]), **explain(config, [DAEMONSETS]), **explain(config, others)}
    is_status = fault.isdigit() or fault in _STATUSES  # its list is named by what needs it
    return [resource.plural for resource in ALL_RESOURCES if not found[resource] or not (is_status or resource.plural in found[resource])]


def explain(config: Path, resources: list[ApiResource]) -> dict[ApiResource, str]:
    """Why each list was not had in full; "" where it was."""
    asked = connection.ApiConnection(ClusterTarget(kubeconfig=str(config)))
    try:
        results = ListClient(asked, lambda _: None, wants_state=True).run_queries([ListQuery(resource) for resource in resources])
    except InputError as error:
        return dict.fromkeys(resources, str(error))
    finally:
        asked.close()
    return {result.query.resource: result.error if result.failure else "" for result in results}
