"""Whole pods whose text is kept until somebody asks for one of them: of most pods of a large cluster nobody does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Raw, json

from preflight.model.runtime_state import StatedPod

Key = tuple[str, str]


class UndecodedPods(Mapping[Key, StatedPod]):
    """Pods by namespace and name, in order of these, each decoded when it is asked for.

    One that makes no sense is there and cannot be had: KeyError.
    """

    def __init__(self, decode: Callable[[Raw | memoryview], StatedPod | None]) -> None:
        """`decode` makes a pod of its text, None where that makes no sense."""
        self._decode = decode
        self._texts: dict[Key, Raw | memoryview] = {}
        self._read: dict[Key, StatedPod | None] = {}

    def put(self, key: Key, text: Raw | memoryview) -> None:
        """Keep the text of a pod."""
        self._texts[key] = text

    def take(self, pod: StatedPod) -> None:
        """Keep a pod that is read already."""
        self._texts.setdefault(pod.key, memoryview(b""))
        self._read[pod.key] = pod

    def update(self, other: UndecodedPods) -> None:
        """Take those of another list."""
        self._texts.update(other._texts)
        self._read.update(other._read)

    def only(self, keys: Iterable[Key]) -> UndecodedPods:
        """Those of some keys."""
        found = UndecodedPods(self._decode)
        found._texts = {key: self._texts[key] for key in keys if key in self._texts}
        found._read = self._read
        return found

    def may_say(self, key: Key, *words: bytes) -> bool:
        """Whether one of these words may stand in a pod: False only where none does."""
        text = bytes(self._texts[key])
        return not text or any(word in text for word in words)

    def text(self, key: Key) -> bytes:
        """The text of a pod; of one that came as plain data, only of what is read of it."""
        return bytes(self._texts[key]) or json.encode(self._read[key])

    def __getitem__(self, key: Key) -> StatedPod:
        if key not in self._read:
            self._read[key] = self._decode(self._texts[key])
        found = self._read[key]
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[Key]:
        return iter(sorted(self._texts))

    def __len__(self) -> int:
        return len(self._texts)

    def __contains__(self, key: object) -> bool:
        return key in self._texts
