"""A small strategy that keeps the contract, cut into steps that a broken one overrides."""

from octavo import RetrievedDocument

TIERS = ("SEMANTIC", "WORKING", "EPISODIC")


def stored(number):
    metadata = {"entryId": f"d{number}", "tier": TIERS[number % 3], "year": str(2000 + number // 4)}
    if number % 5 == 4:
        del metadata["year"]
    # Every document has "fox"; scores tie in pairs, and the best document is not the first.
    return " ".join(["fox"] * (1 + (number * 7 % 12) // 2) + ["and", "owl"][: number % 3]), metadata


DOCUMENTS = tuple(stored(number) for number in range(12))


class Shelf:
    """Ranks by how often the words of a query occur; ties in the order of the shelf."""

    name = "shelf"

    def retrieve(self, query, context):
        self.check(query)
        admitted = [each for each in self.ranked(query) if self.admits(each, context)]
        kept = [each for each in admitted if self.reaches(each, context)]
        return tuple(kept[: context.max_results])

    def check(self, query):
        if not isinstance(query, str):
            raise TypeError("query: expected a string")

    def score(self, query, content):
        words = content.split()
        return float(sum(words.count(word) for word in query.split()))

    def ranked(self, query):
        found = [
            self.document(content, score, metadata)
            for content, metadata in DOCUMENTS
            if (score := self.score(query, content)) > 0
        ]
        return sorted(found, key=lambda document: -document.score)

    def document(self, content, score, metadata):
        return RetrievedDocument(content, "shelf", score, metadata)

    def admits(self, document, context):
        return all(
            self.matches(document.metadata, key, value)
            for key, value in context.metadata_filters.items()
        )

    def matches(self, metadata, key, value):
        return metadata.get(key) == value

    def reaches(self, document, context):
        return document.score >= context.min_score
