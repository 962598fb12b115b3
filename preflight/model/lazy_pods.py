"""Whole pods whose text is kept until somebody asks for one of them: of most pods of a large cluster nobody does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from msgspec import Raw, json

from preflight.model.pod_status import ClusterPod

LazyPodKey = tuple[str, str]
PodType = TypeVar("PodType", bound=ClusterPod)


class LazyPods(Mapping[LazyPodKey, PodType], Generic[PodType]):
    """Pods by namespace and name, in order of these, each decoded when it is asked for.

    One that makes no sense is there and cannot be had: KeyError.
    """

    def __init__(self, decode: Callable[[Raw | memoryview], PodType | None]) -> None:
        """`decode` makes a pod of its text, None where that makes no sense."""
        self._decode = decode
        self._texts: dict[LazyPodKey, Raw | memoryview] = {}
        self._decoded: dict[LazyPodKey, PodType | None] = {}

    def add_text(self, key: LazyPodKey, text: Raw | memoryview) -> None:
        """Keep the text of a pod."""
        self._texts[key] = text

    def add_pod(self, pod: PodType) -> None:
        """Keep a pod that is read already."""
        self._texts.setdefault(pod.key, memoryview(b""))
        self._decoded[pod.key] = pod

    def update(self, other: LazyPods[PodType]) -> None:
        """Take those of another list."""
        self._texts.update(other._texts)
        self._decoded.update(other._decoded)

    def select_pods(self, keys: Iterable[LazyPodKey]) -> LazyPods[PodType]:
        """Those of some keys."""
        found = LazyPods(self._decode)
        found._texts = {key: self._texts[key] for key in keys if key in self._texts}
        found._decoded = self._decoded
        return found

    def may_contain(self, key: LazyPodKey, *words: bytes) -> bool:
        """Whether one of these words may stand in a pod: False only where none does."""
        text = bytes(self._texts[key])
        return not text or any(word in text for word in words)

    def read_text(self, key: LazyPodKey) -> bytes:
        """The text of a pod; of one that came as plain data, only of what is read of it."""
        return bytes(self._texts[key]) or json.encode(self._decoded[key])

    def __getitem__(self, key: LazyPodKey) -> PodType:
        if key not in self._decoded:
            self._decoded[key] = self._decode(self._texts[key])
        found = self._decoded[key]
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[LazyPodKey]:
        return iter(sorted(self._texts))

    def __len__(self) -> int:
        return len(self._texts)

    def __contains__(self, key: object) -> bool:
        return key in self._texts
