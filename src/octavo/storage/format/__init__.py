"""How an index lies on disk: the manifest, the names of files, how they are written and checked."""
