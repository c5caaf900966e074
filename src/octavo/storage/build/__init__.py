"""How segments are made: the stages from batches of documents to files, within a memory budget."""
