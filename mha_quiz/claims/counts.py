"""Counts that a note states for a layer: parameters, bytes of the cache, FLOPs; recomputed by a run of the core."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mha_quiz.amounts import Amount
from mha_quiz.claims.context import Context
from mha_quiz.claims.layer import Layer, layer_at
from mha_quiz.claims.model import Finding, Judgement, Verdict
from mha_quiz.claims.numbers import Fit, fit, number_text
from mha_quiz.claims.passages import Passage, Reading
from mha_quiz.claims.terms import Number
from mha_quiz.claims.tokens import Sort, Token, number_word, unit_factor
from mha_quiz.claims.wording import is_about_mistakes, only_supposed, said_to_be_wrong, sentence
from mha_quiz.families.runs import parameters, run


@dataclass(frozen=True, slots=True)
class Stated:
    """A number with the word that says what it counts."""

    number: Number
    counts: str
    """`parameters`, `bytes`, `multiply-adds` or `FLOPs`."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Right:
    """A value that would be right, and how it comes about."""

    value: int
    formula: str


_COUNTS = {
    **dict.fromkeys(("parameter", "parameters", "params", "entries", "weights"), "parameters"),
    **dict.fromkeys(("byte", "bytes"), "bytes"),
    **dict.fromkeys(("flop", "flops"), "FLOPs"),
    **dict.fromkeys(("mac", "macs", "multiply"), "multiply-adds"),
}
_WORTH_READING = re.compile(r"param|weights|entries|byte|[KMGT]i?B\b|flop|mac|multiply", re.IGNORECASE)
LEAST = 100
MOST = 10**18
_PER_ITEM = re.compile(
    r"\s*\$?\s*(?:bytes?|\w+)\s*(?:a|an|per|each|for each|for every|prati|har)\s+(?:number|value|element|float|entry|weight|parameter)",
    re.IGNORECASE,
)


def is_worth_reading(passage: Passage) -> bool:
    return _WORTH_READING.search(passage.text) is not None


def stated_counts(passage: Passage, tokens: Sequence[Token]) -> Iterator[Stated]:
    """Numbers directly before a word such as `parameters`, or with a unit such as GiB."""
    inner = [token for token in tokens if token.sort is not Sort.BORDER]
    for index, token in enumerate(inner):
        if token.sort is not Sort.NUMBER or token.value <= 0:
            continue
        number, at = Number(token.value, token.decimals, token.rounded), index + 1
        if at < len(inner) and (times := number_word(inner[at])):
            number = Number(number.value * times, number.decimals - len(str(times)) + 1, True)
            at += 1
        following = inner[at] if at < len(inner) else None
        if following is None or _PER_ITEM.match(passage.text, token.end, token.end + 60):
            continue
        if following.sort is Sort.UNIT and following.text not in ("byte", "bytes"):
            factor = unit_factor(following)
            number = Number(number.value * factor, number.decimals, number.rounded, factor, True)
            counts = "bytes"
        else:
            counts = _COUNTS.get(following.text.lower(), "")
        if counts and LEAST <= number.value <= MOST:
            yield Stated(number, counts, token.start, following.end)


MOST_IN_PASSAGE = 40


def judge_counts(
    reading: Reading, context: Context, passage: Passage, tokens: Sequence[Token], chains: Sequence[tuple[int, int]]
) -> Iterator[Finding]:
    """The counts of a passage; `chains` are its equalities, whose left sides a count belongs to."""
    if is_about_mistakes(reading, passage):
        return
    for number, stated in enumerate(stated_counts(passage, tokens)):
        if number == MOST_IN_PASSAGE:
            return
        if said_to_be_wrong(passage, stated.start, stated.end) or only_supposed(passage, stated.start, stated.end):
            continue
        first, last = sentence(passage.text, stated.start)
        words = passage.text[first:last]
        clause = passage.text[first : stated.start]
        layer = layer_at(reading, context, passage, stated.start)
        match stated.counts:
            case "parameters":
                rights = _parameters(words, clause, layer)
            case "bytes":
                rights = _bytes(words, layer)
            case counts:
                rights = _work(clause, layer, counts)
        if rights is None:
            continue
        start = next((start for start, end in chains if start <= stated.start < end), stated.start)
        judgement = _judged(stated, *rights)
        if judgement is not None:
            start = first + len(words) - len(words.lstrip()) if judgement.verdict is Verdict.FAILS else start
            yield Finding(passage.number, start, passage.number, stated.end, judgement)


def _judged(
    stated: Stated, rights: Sequence[Right], also: Sequence[Right], slips: Sequence[tuple[int, str]]
) -> Judgement | None:
    """`also` are readings of the words that would do as well."""
    for right in (*rights, *also):
        if _fits(right.value, stated.number):
            shown = number_text(Fraction(right.value))
            return Judgement(Verdict.HOLDS, shown, f"{right.formula} = {shown}")
    if not rights:
        return None
    shown = number_text(Fraction(rights[0].value))
    why = next((why for value, why in slips if _fits(value, stated.number)), "")
    told = " or ".join(f"{right.formula} = {number_text(Fraction(right.value))}" for right in rights)
    if stated.number.factor > 1:
        told += f" bytes, {number_text(Fraction(rights[0].value, stated.number.factor))} in the unit stated"
    return Judgement(Verdict.FAILS, told, why or f"it comes to {shown}, not {number_text(stated.number.value)}")


def _fits(value: int, number: Number) -> bool:
    found = fit(Amount(Fraction(value)), number, approximate=number.rounded)
    if found is Fit.NONE and number.factor > 1:  # GB and GiB are mixed up freely
        for factor in (10**3, 2**10, 10**6, 2**20, 10**9, 2**30):
            if abs(factor - number.factor) <= number.factor // 8:
                other = Number(number.value / number.factor * factor, number.decimals, number.rounded, factor, True)
                if fit(Amount(Fraction(value)), other, approximate=True) is Fit.EXACT:
                    return True
    return found in (Fit.EXACT, Fit.NEAR)


Rights = tuple[Sequence[Right], Sequence[Right], Sequence[tuple[int, str]]]

# Parameters

_MORE_THAN_ATTENTION = re.compile(
    r"\b(?:blocks?|mlp|feed[- ]?forward|ffn|embeddings?|norms?|layernorms?|vocab\w*|lora|adapters?|mla|latent|experts?|"
    r"whole model|entire model|poora model|poore model|grouped|gqa|mqa|cross|low[- ]rank|relative|rotary|decoder|bias_k|kdim)\b",
    re.IGNORECASE,
)
_NO_BIAS = re.compile(
    r"\b(?:no|without|bina|excluding|ignoring|minus)\s+(?:any\s+|the\s+)?bias(?:es)?\b|\bbias\s*=\s*False\b|\bbias(?:es)? (?:ke bina|nahi|chhod)|"
    r"\bno biases\b",
    re.IGNORECASE,
)
_BIAS = re.compile(r"\bbias(?:es)?\b", re.IGNORECASE)
_MATRIX = re.compile(r"W(?:\s*_\s*\{?[ijh\d]\}?)?\s*[\^_]\s*\{?\s*(?:\\text\{)?([QKVOqkvo])\b|W_?([QKVO])\b")
_OUTPUT = re.compile(
    r"\boutput (?:projection|matrix)|W\s*[\^_]\s*\{?\s*O\b|W_O\b|\bout_proj\b|output wal[ia]", re.IGNORECASE
)
_THREE = re.compile(
    r"\b(?:three|teen|teeno|teenon)\b|\bQKV\b|\bquer(?:y|ies),? keys?,? (?:and|aur) values?\b|\bQ\$?,\s*\$?K\$?,?\s*(?:and|aur|,)\s*\$?V\b",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\beach of\b|\beach (?:matrix|projection|weight matrix|one)\b|\beach (?:has|is|holds)\b|\bone of the\b|\bone (?:matrix|projection)\b|"
    r"\ba single (?:matrix|projection)\b|\bevery (?:matrix|projection)\b|\bhar (?:ek )?(?:matrix|projection)\b|\bek (?:matrix|projection)\b",
    re.IGNORECASE,
)
_ONE_HEAD = re.compile(
    r"\b(?:per|each|one|single|every|a|ek|har|prati)[- ]head\b|\bhead \d\b|\b(?:ek|har) head\b", re.IGNORECASE
)
_WHOLE = re.compile(
    r"\bmulti-?\s?head (?:self-)?attention\b|\bMHA\b|\battention (?:layer|module|sub-?layer)s?\b|\bself-attention\b|"
    r"\bnn\.MultiheadAttention\b|\ball four\b|\bfour (?:matrices|projections|weight matrices)\b|\b(?:char|chaar|chaaron|charon) (?:matrices|projections)\b|"
    r"\b(?:whole|entire|poori|puri) layer\b|\bthe attention of (?:a|each|one|every) layer\b|\battention (?:parameters|weights) (?:per|a|in each) layer\b|"
    r"\b(?:each|every|har|a|one) layer(?:'s| ka| ke| ki)? attention\b",
    re.IGNORECASE,
)
_ALL_LAYERS = re.compile(r"\ball (?:\d+ )?layers\b|\b\d+ layers\b|\bsaari? layers\b|\bmodel\b", re.IGNORECASE)


def _parameters(words: str, clause: str, layer: Layer) -> Rights | None:
    if layer.d is None or _MORE_THAN_ATTENTION.search(words) or layer.d > 10**6:
        return None
    d, h = layer.d, layer.h or 1
    if layer.k is None and d % h:
        return None
    k = layer.k or d // h
    g = layer.g or h
    if h * k != d and layer.model is None:
        return None
    no_bias, bias = _NO_BIAS.search(words) is not None, _BIAS.search(words) is not None
    if layer.model is not None and not bias and layer.model.biases is not None:
        no_bias, bias = not layer.model.biases, layer.model.biases
    matrices = {(match[1] or match[2]).upper() for match in _MATRIX.finditer(words)}
    counted = _Parameters(d, h, k, g, no_bias=no_bias, bias=bias and not no_bias)
    if _ONE_HEAD.search(words) and not re.search(r"\ball heads\b|saare heads|\btogether\b", words, re.IGNORECASE):
        return counted.one_head(len(matrices)) if layer.h else None
    if _EACH.search(words) and g == h and not _WHOLE.search(clause):
        return counted.each()
    if (_WHOLE.search(words) and layer.h is not None) or (_OUTPUT.search(words) and _THREE.search(words)):
        partly = (_THREE.search(words) or matrices >= {"Q", "K", "V"}) and not _OUTPUT.search(words)
        return counted.whole(
            layer, partly=bool(partly), times=_of_layers(clause, layer), several=_ALL_LAYERS.search(words) is not None
        )
    return None


def _of_layers(clause: str, layer: Layer) -> int:
    """The number of layers, if the count is said to be so many times that of a layer."""
    if layer.layers and re.search(rf"\b{layer.layers}\s*\$?\s*(?:\\times|\\cdot|×|·|\*|x\b)", clause[-160:]):
        return layer.layers
    return 1


@dataclass(frozen=True, slots=True)
class _Parameters:
    d: int
    h: int
    k: int
    g: int
    no_bias: bool
    bias: bool

    def _biased(self, plain: Right, more: int) -> list[Right]:
        """What is right, as far as the words say whether there are biases."""
        biased = Right(plain.value + more, f"{plain.formula} + {more:,} biases")
        if self.no_bias:
            return [plain]
        return [biased] if self.bias else [plain, biased]

    def each(self) -> Rights:
        plain = Right(self.d * self.h * self.k, f"{self.d}^2")
        also = [] if self.no_bias else self._biased(plain, self.d)
        slips = [(3 * plain.value, "that is the sum of the three"), (4 * plain.value, "that is the sum of all four")]
        slips.append((self.d * self.k, "that is one head's share"))
        return [plain] if not self.bias else self._biased(plain, self.d), also, slips

    def one_head(self, matrices: int) -> Rights:
        d, k = self.d, self.k
        one, three = Right(d * k, f"{d} · {k}"), Right(3 * d * k, f"3 · {d} · {k}")
        also = [one, three, Right(4 * d * k, f"4 · {d} · {k}"), Right(2 * d * k, f"2 · {d} · {k}")]
        also += [Right(d * k + k, ""), Right(3 * (d * k + k), f"3 · ({d} · {k} + {k})")] if not self.no_bias else []
        slips = [(3 * d * d, "that is all heads together"), (3 * k * k, f"a head reads the full width {d}")]
        return ([one] if matrices == 1 else [three]), also, slips

    def whole(self, layer: Layer, *, partly: bool, times: int, several: bool) -> Rights:
        sizes = {"g": self.g, "k": self.k}
        plain = parameters(self.d, self.h, g=self.g, k=self.k)
        biased = (
            parameters(self.d, self.h, bias=True, **sizes)
            if self.g == self.h
            else plain + 2 * self.d + 2 * self.g * self.k
        )
        formula = f"4 · {self.d}^2" if self.g == self.h else f"2 · {self.d}^2 + 2 · {self.d} · {self.g} · {self.k}"
        rights = self._biased(Right(plain, formula), biased - plain)
        three = plain - self.d * self.h * self.k
        also = [Right(three, "W_Q, W_K and W_V"), Right(three + 3 * self.d, "")] if partly else []
        if times > 1:
            each = [*rights]
            rights = [Right(right.value * times, f"{times} · {right.value:,}") for right in each]
            also = [Right(right.value * times, f"{times} · {right.value:,}") for right in also]
        elif several and layer.layers:
            also += [
                Right(right.value * layer.layers, f"{layer.layers} · ({right.formula})") for right in (*rights, *also)
            ]
        slips = [
            (three, "the output projection W_O was left out"),
            (three + 3 * self.d, "the output projection W_O was left out"),
            (plain, "the biases were left out"),
            (biased, "biases were counted"),
            (plain * self.h, "the heads share the width; more heads do not mean more parameters"),
        ]
        return rights, also, [slip for slip in slips if slip[0] not in [right.value for right in rights]]


# Bytes

_CACHE = re.compile(r"\bk/?v[- ]?cache\b|\bkey[- ](?:and[- ]|aur[- ])?value[- ]cache\b|\bcache\b", re.IGNORECASE)
_A_TOKEN = re.compile(r"\b(?:per|a|each|one|every|ek|har|prati)[- ]token\b|/\s?token\b", re.IGNORECASE)
_A_LAYER = re.compile(r"\b(?:per|a|each|one|every|ek|har|prati)[- ]layer\b|/\s?layer\b", re.IGNORECASE)
_OTHER_CACHE = re.compile(
    r"\b(?:mla|latent|quanti[sz]ed|window|sliding|page[sd]?|compress\w*|cross|without|saves?|smaller|instead)\b",
    re.IGNORECASE,
)


def _bytes(words: str, layer: Layer) -> Rights | None:
    if not _CACHE.search(words) or _OTHER_CACHE.search(words):
        return None
    k = layer.k or (layer.d // layer.h if layer.d and layer.h and layer.d % layer.h == 0 else None)
    heads = layer.g or layer.h
    if k is None or heads is None or layer.bytes is None:
        return None
    one_layer = 2 * heads * k * layer.bytes
    formula = f"{heads} · {k} · {layer.bytes}"
    choices: list[Right] = []
    layers = [layer.layers] if layer.layers and not _A_LAYER.search(words) else []
    tokens = [] if _A_TOKEN.search(words) else [layer.n] if layer.n else []
    if not layers and not _A_LAYER.search(words):
        return None
    if not tokens and not _A_TOKEN.search(words):
        return None
    value, told = one_layer, [f"2 · {formula}"]
    for factor in (*layers, *tokens):
        value, told = value * factor, [*told, f"{factor:,}"]
    batch = layer.batch or 1
    choices.append(
        Right(
            value * (1 if _A_TOKEN.search(words) else batch),
            _cache_formula(layers, heads, k, layer.bytes, tokens, batch),
        )
    )
    also = [Right(value, ""), Right(one_layer * (layer.layers or 1), ""), Right(one_layer, "")]
    if layer.n:
        also += [Right(one_layer * layer.n, ""), Right(one_layer * layer.n * (layer.layers or 1), "")]
    slips = []
    if layer.h and layer.h != heads:
        slips.append((choices[0].value // heads * layer.h, "only the key/value heads are cached"))
    slips.append((choices[0].value // 2, "both keys and values are cached"))
    slips.append((choices[0].value // layer.bytes, "that counts numbers, not bytes"))
    if layers:
        slips.append((choices[0].value // layers[0], "every layer has its own cache"))
    return choices, also, slips


def _cache_formula(layers: Sequence[int], heads: int, k: int, size: int, tokens: Sequence[int], batch: int) -> str:
    factors = [2, *layers, heads, k, size, *tokens, *([batch] if batch > 1 and tokens else [])]
    return " · ".join(f"{factor:,}" if factor >= 10**4 else str(factor) for factor in factors)


# Multiply-adds and FLOPs

_STAGES = (
    (("scores",), re.compile(r"\bscores?\b|QK|Q_iK|Q K", re.IGNORECASE)),
    (("heads",), re.compile(r"\bweighted sums?\b|\bweights? times\b", re.IGNORECASE)),
    (("q", "k", "v", "output"), re.compile(r"\bprojections?\b", re.IGNORECASE)),
    (
        ("q", "k", "v", "output", "scores", "heads"),
        re.compile(r"\b(?:whole|entire|poori|puri|full) layer\b", re.IGNORECASE),
    ),
)


def _work(clause: str, layer: Layer, counts: str) -> Rights | None:
    if layer.d is None or layer.n is None or max(layer.d, layer.n) > 10**6 or layer.batch not in (None, 1):
        return None
    h = layer.h if layer.h and layer.d % layer.h == 0 else 1
    stages = [names for names, pattern in _STAGES if pattern.search(clause[-120:])]
    if not stages or re.search(r"\b(?:causal|decod\w*|mlp|backward|training|block)\b", clause, re.IGNORECASE):
        return None
    products = run(d=layer.d, h=h, n=layer.n).products
    factor = 2 if counts == "FLOPs" else 1
    rights = [
        Right(factor * sum(products[name] for name in names), f"{' + '.join(names)}, {counts}") for names in stages
    ]
    others = [Right((3 - factor) * right.value // factor, "") for right in rights] if counts == "FLOPs" else []
    if len(rights) > 1:
        return [], [*rights, Right(sum(right.value for right in rights), "together")], []
    return rights, [], [(right.value, "a multiply-add is two FLOPs") for right in others]
