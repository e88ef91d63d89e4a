"""What a cache takes and a layer computes, in the ways a note may count it."""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod

from mha_quiz.claims.layer import Layer
from mha_quiz.claims.rights import Right, Rights
from mha_quiz.families.runs import run

_CACHE = re.compile(r"\bk/?v[- ]?cache\b|\bkey[- ](?:and[- ]|aur[- ])?value[- ]cache\b|\bcache\b", re.IGNORECASE)
_OF_CACHE = re.compile(
    rf"[\d.,{{}}$\s]*\w+[\s$]+(?:of|for|in|ka|ke|ki)\s+(?:the |its |a )?(?:{_CACHE.pattern})", re.IGNORECASE
)
_OF_WEIGHTS = re.compile(
    r"[\d.,{}$\s]*\w+[\s$]+(?:of|for|in)\s+(?:the |its )?(?:weights?|parameters|params|activations?|memory)\b",
    re.IGNORECASE,
)
_A_TOKEN = re.compile(r"\b(?:per|a|each|one|every|ek|har|prati)[- ]token\b|/\s?token\b", re.IGNORECASE)
_A_LAYER = re.compile(r"\b(?:per|a|each|one|every|ek|har|prati)[- ]layer\b|/\s?layer\b", re.IGNORECASE)
_OTHER_CACHE = re.compile(
    r"\b(?:mla|latent|quanti[sz]ed|window|sliding|page[sd]?|compress\w*|cross|without|saves?|smaller|instead|users?|requests?|concurrent|sequences|share|pages?|"
    r"(?:per|a|one|each|every|single|ek|har)[- ]head)\b|(?<![KVkv/])(?<!and )\b[KV][- ]cache|\b(?:keys?|values?) (?:alone|only)\b",
    re.IGNORECASE,
)


def cache_rights(words: str, clause: str, stated: Fraction, layer: Layer) -> Rights | None:
    is_subject = _CACHE.search(clause) or _OF_CACHE.match(words, len(clause))
    if not is_subject or _OTHER_CACHE.search(words) or _OF_WEIGHTS.match(words, len(clause)):
        return None
    k = layer.k or (layer.d // layer.h if layer.d and layer.h and layer.d % layer.h == 0 else None)
    heads = layer.g or layer.h
    a_token, a_layer = _A_TOKEN.search(words) is not None, _A_LAYER.search(words) is not None
    layers, tokens = 1 if a_layer else layer.layers, 1 if a_token else layer.n
    if re.search(r"\bbatch\b", words, re.IGNORECASE) and layer.batch is None:
        return None
    if k is None or heads is None or not layers or not tokens:
        return None
    numbers = 2 * layers * heads * k * tokens * (1 if a_token else layer.batch or 1)
    size = layer.bytes or _size_of_slip(stated, numbers, heads, layer)
    if size is None:
        return None
    factors = [2, *([layers] if layers > 1 else []), heads, k, size, *([tokens] if tokens > 1 else [])]
    right = Right(numbers * size, " · ".join(map(str, factors)))
    one_layer = 2 * heads * k * size
    times = product({1, layer.layers or 1}, {1, layer.n or 1}, {1, layer.batch or 1})
    also = [Right(one_layer * prod(factors), "of another part") for factors in times]
    slips = [
        (right.value // 2, "both keys and values are cached"),
        (numbers, "that counts numbers, not bytes"),
        (right.value // layers, "every layer has its own cache"),
    ]
    if layer.h and layer.h != heads:
        slips.insert(0, (right.value // heads * layer.h, "only the key/value heads are cached"))
    return [right], also, slips


def _size_of_slip(stated: Fraction, numbers: int, heads: int, layer: Layer) -> int | None:
    """Bytes of a number, where only a count with all query heads explains what is stated."""
    if not layer.h or layer.h == heads:
        return None
    return next((size for size in (2, 1, 4) if stated == numbers // heads * layer.h * size), None)


_STAGES = (
    (("scores",), re.compile(r"\bscores?\b|QK|Q_iK|Q K", re.IGNORECASE)),
    (("heads",), re.compile(r"\bweighted sums?\b|\bweights? times\b", re.IGNORECASE)),
    (("q", "k", "v", "output"), re.compile(r"\bprojections?\b", re.IGNORECASE)),
    (
        ("q", "k", "v", "output", "scores", "heads"),
        re.compile(r"\b(?:whole|entire|poori|puri|full) layer\b", re.IGNORECASE),
    ),
)


_ONE_PROJECTION = re.compile(
    r"\b(?:input|output|query|key|value|three|two|one|each|every|single|an?|har|ek|do|teen)\b|\b[QKV]\b", re.IGNORECASE
)


@lru_cache(maxsize=256)
def _products(d: int, h: int, n: int) -> Mapping[str, int]:
    """Multiply-adds of each stage of a layer."""
    return run(d=d, h=h, n=n).products


def work_rights(clause: str, layer: Layer, counts: str) -> Rights | None:
    if layer.d is None or layer.n is None or max(layer.d, layer.n) > 10**6 or layer.batch not in (None, 1):
        return None
    h = layer.h if layer.h and layer.d % layer.h == 0 else 1
    stages = [names for names, pattern in _STAGES if pattern.search(clause[-120:])]
    if not stages or re.search(
        r"\b(?:per|one|each|every|har|ek|single)[- ](?:heads?|tokens?)\b|\b\d+ layers\b|\b(?:causal|decod\w*|mlp|backward|training|block)\b",
        clause,
        re.IGNORECASE,
    ):
        return None
    products = _products(layer.d, h, layer.n)
    factor = 2 if counts == "FLOPs" else 1
    rights = [
        Right(factor * sum(products[name] for name in names), f"{' + '.join(names)}, {counts}") for names in stages
    ]
    if _ONE_PROJECTION.search(clause) and any("output" in names for names in stages):
        rights += [Right(factor * times * products["q"], f"{times} projections, {counts}") for times in (1, 2, 3)]
    others = [Right((3 - factor) * right.value // factor, "") for right in rights] if counts == "FLOPs" else []
    if len(rights) > 1:
        return [], [*rights, Right(sum(right.value for right in rights), "together")], []
    return rights, [], [(right.value, "a multiply-add is two FLOPs") for right in others]
