"""The beds that tests share: each is started once, and cleared before a test gets it."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest

from tests.cluster.bed import Bed

STARTED: list[Bed] = []


@pytest.fixture(scope="session")
def plain() -> Iterator[Bed]:
    """A control plane without the node lifecycle controller."""
    yield from started(Bed())


@pytest.fixture(scope="session")
def lifecycle() -> Iterator[Bed]:
    """A control plane whose node lifecycle controller gives a node up after 8 seconds."""
    yield from started(Bed(node_lifecycle=True, grace=8))


@pytest.fixture
def bed(plain: Bed) -> Bed:
    """An empty cluster; nobody taints its nodes but the test."""
    plain.clear()
    return plain


@pytest.fixture
def living(lifecycle: Bed) -> Bed:
    """An empty cluster, whose nodes are watched."""
    lifecycle.clear()
    return lifecycle


def started(bed: Bed) -> Iterator[Bed]:
    with bed:
        STARTED.append(bed)
        yield bed
        STARTED.remove(bed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails shows how the logs of the control plane end."""
    report = yield
    if report.failed and item.get_closest_marker("cluster"):
        report.sections += [(str(child.log), child.tail(15)) for bed in STARTED for child in bed.children]
    return report
