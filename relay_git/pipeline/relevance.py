"""How near texts are to each other, by the words that they share: TF-IDF, without a model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+")


class TfIdf:
    """A vector of weights for each text: how often a word stands in it, times how rare the word is
    among all the texts. The same texts give the same vectors."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        counts = [Counter(_WORD.findall(text.casefold())) for text in texts]
        in_texts = Counter(word for words in counts for word in words)
        rarity = {
            word: 1 + math.log(len(texts) / times) for word, times in sorted(in_texts.items())
        }
        return [[words[word] * weight for word, weight in rarity.items()] for words in counts]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """From -1 to 1; 0 where one of them has no direction."""
    lengths = math.hypot(*a) * math.hypot(*b)
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0
