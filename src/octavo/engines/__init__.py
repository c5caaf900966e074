"""Search engines: keyword on tantivy, vector on FAISS. Each plans, searches and says what it did."""
