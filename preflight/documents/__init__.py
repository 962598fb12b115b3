"""YAML and JSON text as Kubernetes reads it: plain data and positions; the only place with PyYAML."""

from preflight.documents.chunks import split
from preflight.documents.places import locate, source_line
from preflight.documents.reading import read_yaml
from preflight.documents.results import Broken, Chunk, Document, Path, Place, RepeatedKey, Skipped

__all__ = [
    "Broken",
    "Chunk",
    "Document",
    "Path",
    "Place",
    "RepeatedKey",
    "Skipped",
    "locate",
    "read_yaml",
    "source_line",
    "split",
]
