"""Places of parts and results: directories, or URLs of object stores that fsspec knows (s3://bucket/place)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

__all__ = ["Place", "beside", "bring", "drop", "inside", "is_url", "place_of", "put"]

Place = Path | str


def place_of(name: str | os.PathLike[str]) -> Place:
    """A directory, or a URL as it is."""
    return str(name).rstrip("/") if "://" in str(name) else Path(name)


def is_url(place: Place) -> bool:
    """Whether it is one of a store."""
    return isinstance(place, str)


def beside(place: Place, more: str) -> Place:
    """The place whose name has `more` at its end."""
    if isinstance(place, str):
        return place + more
    whole = Path(os.path.abspath(place))
    return whole.with_name(whole.name + more)


def inside(place: Place, name: str) -> Place:
    """A file of a place."""
    return f"{place}/{name}" if isinstance(place, str) else place / name


def _store(url: str) -> tuple[Any, str]:
    """The store of a URL, and its path there. Addresses and keys are those of the environment, as fsspec reads them."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ImportError(f"{url} needs fsspec, and what it needs for such URLs: pip install fsspec s3fs", name="fsspec") from error
    store, path = url_to_fs(url)
    # What it listed before may be there no longer.
    store.invalidate_cache()
    return store, path


def bring(url: str, directory: Path) -> bool:
    """Copies an object into a directory; false where there is none."""
    store, path = _store(url)
    if not store.exists(path):
        return False
    directory.mkdir(parents=True, exist_ok=True)
    store.get_file(path, str(directory / path.rsplit("/", 1)[-1]))
    return True


def put(file: Path, url: str) -> None:
    """Copies a file to an object: whole or not at all, as object stores have it."""
    store, path = _store(url)
    store.put_file(str(file), path)


def drop(url: str) -> None:
    """Removes an object."""
    store, path = _store(url)
    store.rm_file(path)
