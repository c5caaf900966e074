"""One reader for each file format; each yields Arrow record batches."""
