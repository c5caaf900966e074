"""Other libraries under the same measures; each adapter imports its library when it is built."""

from octavo.benchmark.peers.bm25s import Bm25s
from octavo.benchmark.peers.faiss_alone import FaissAlone
from octavo.benchmark.peers.lancedb import LanceDb
from octavo.benchmark.peers.langchain import LangChain
from octavo.benchmark.peers.peer import Peer
from octavo.benchmark.peers.tantivy_alone import TantivyAlone

PEERS: tuple[type[Peer], ...] = (TantivyAlone, FaissAlone, Bm25s, LanceDb, LangChain)
