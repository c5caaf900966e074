"""Block-max postings: a derived index that ranks batches exactly as tantivy does, and faster."""
