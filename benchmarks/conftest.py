"""Collect tests only: the scripts beside them are programs, not modules with doctests."""


def pytest_ignore_collect(collection_path):
    is_script = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if is_script else None
