"""Words and TF-IDF, against scikit-learn's."""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from svmbench.data.sets._text import STOP_WORDS, tf_idf, tokens


def test_tokens():
    assert tokens("The U.S. dollar's rise: 3.5 pct IN Q1/1987, don't-ask e-mail") == [
        "dollar",
        "rise",
        "pct",
        "ask",
        "mail",
    ]


def test_stop_words_are_tokens():
    assert all(len(word) > 1 and word.isascii() and word.islower() for word in STOP_WORDS)
    assert {"the", "of", "doesn", "ourselves"} <= STOP_WORDS and not {"bank", "oil", "money"} & STOP_WORDS


def test_features_equal_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    words = np.array([f"{a}{b}" for a in "bcdfgh" for b in "klmnpq"] + ["the", "and"])
    texts = [" ".join(rng.choice(words, rng.integers(1, 12))) for _ in range(60)]
    train, test = texts[:40], [*texts[40:], "unheard words"]
    theirs = TfidfVectorizer(token_pattern="[a-z]{2,}", min_df=3, stop_words=sorted(STOP_WORDS))
    X_train, X_test = tf_idf([tokens(text) for text in train], [tokens(text) for text in test])
    assert np.allclose(X_train.toarray(), theirs.fit_transform(train).toarray(), atol=1e-14)
    assert np.allclose(X_test.toarray(), theirs.transform(test).toarray(), atol=1e-14)
    assert not X_test.toarray()[-1].any()
