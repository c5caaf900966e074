"""The benchmark suite: generated documents, measures with baselines, peers, reports.

``octavo bench`` runs it; ``docs/benchmark-suite.md`` explains it.
"""
