"""A graph in a Neo4j database, over its official driver (the extra ``neo4j``)."""
