"""Words and TF-IDF features of plain text."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import scipy

MIN_DOCUMENTS = 3

#: English function words, which say nothing about the topic, including parts of contractions (doesn, ll, ve).
STOP_WORDS = frozenset(
    re.findall(
        "[a-z]+",
        """
        about above across after afterwards again against all almost alone along already also although
        always am among amongst an and another any anybody anyhow anyone anything anyway anywhere are aren
        around as at away be became because become becomes becoming been before beforehand behind being
        below beside besides between beyond both but by came can cannot come comes could couldn did didn do
        does doesn doing don done down due during each either else elsewhere enough et etc even ever every
        everybody everyone everything everywhere except few for former formerly from further furthermore had
        hadn has hasn have haven having he hence her here hereafter hereby herein hereupon hers herself him
        himself his how however ie if in indeed inside instead into is isn it its itself just least less let
        like likewise ll many may maybe me meanwhile might mine more moreover most mostly much must mustn my
        myself namely near neither never nevertheless no nobody none nonetheless noone nor not nothing now
        nowhere of off often on once one only onto or other others otherwise our ours ourselves out outside
        over own per perhaps please quite rather re really same seem seemed seeming seems several shall she
        should shouldn since so some somebody somehow someone something sometime sometimes somewhere still
        such than that the their theirs them themselves then thence there thereafter thereby therefore
        therein thereupon these they this those though through throughout thus to together too toward
        towards under until up upon us ve very via was wasn we well were weren what whatever when whence
        whenever where whereafter whereas whereby wherein whereupon wherever whether which whichever while
        whither who whoever whole whom whose why will with within without won would wouldn yet you your
        yours yourself yourselves
        """,
    )
)

_TOKEN = re.compile("[a-z]{2,}")


def tokens(text: str) -> list[str]:
    """Return the words of a text: runs of at least two letters a to z, in lower case, without stop words."""
    return [word for word in _TOKEN.findall(text.lower()) if word not in STOP_WORDS]


def tf_idf(
    train: list[list[str]], test: list[list[str]]
) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
    """Return TF-IDF rows of length 1 for both lists of tokenised documents.

    The vocabulary consists of the words that occur in at least three training documents, in alphabetical
    order. A word that occurs t times in a document, and in d of the n training documents, has the weight t (1
    + ln((1 + n) / (1 + d))). This is smoothed as if one more document contained every word, so that no weight
    is 0. A document without any known word becomes a row of zeros.
    """
    spread = Counter(word for document in train for word in set(document))
    vocabulary = {
        word: column for column, word in enumerate(sorted(w for w in spread if spread[w] >= MIN_DOCUMENTS))
    }
    frequencies = np.array([spread[word] for word in vocabulary], dtype=np.float64)
    weights = 1.0 + np.log((1.0 + len(train)) / (1.0 + frequencies))
    return _rows(train, vocabulary, weights), _rows(test, vocabulary, weights)


def _rows(
    documents: list[list[str]], vocabulary: dict[str, int], weights: np.ndarray
) -> scipy.sparse.csr_array:
    indptr, indices, values = [0], [], []
    for document in documents:
        counts = sorted(Counter(vocabulary[word] for word in document if word in vocabulary).items())
        columns = np.array([column for column, _ in counts], dtype=np.int64)
        row = np.array([count for _, count in counts], dtype=np.float64) * weights[columns]
        indices.append(columns)
        values.append(row / (np.linalg.norm(row) or 1.0))
        indptr.append(indptr[-1] + columns.size)
    shape = (len(documents), len(vocabulary))
    return scipy.sparse.csr_array((np.concatenate(values), np.concatenate(indices), indptr), shape=shape)
