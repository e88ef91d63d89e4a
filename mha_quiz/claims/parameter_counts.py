"""How many parameters an attention layer has, in the ways a note may count them."""

import re
from dataclasses import dataclass

from mha_quiz.claims.layer import Layer
from mha_quiz.claims.rights import Right, Rights
from mha_quiz.families.runs import parameters

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
_OF_ELSE = re.compile(
    r"(?:;|,(?!\d)|\band\b|\baur\b)(?!\s+(?:(?:so|hence|thus|which is|that is|i\.e\.|and|aur|toh?|isliye|yaani|matlab)\s+)*"
    r"(?:its?|each|every|has|needs|holds|that|one head|uske|uska|iske|iska|us|is|har)\b)|\b(?:in total|total|overall|altogether|kul)\b",
    re.IGNORECASE,
)
"""Behind a head: what begins to speak of something else."""
_NEW_CLAUSE = re.compile(r"[;,](?!\d)|\b(?:and|aur)\b", re.IGNORECASE)
_NEAR = 60
"""Characters before a number in which its subject stands."""
_PART = re.compile(
    r"W\s*[\^_]\s*\{?\s*[QKVO]\b[^,]*$|\b(?:query|key|value|output)\s+(?:projections?|matrix|weights?)\b[^,]*$|\b(?:one|each|har) matrix\b",
    re.IGNORECASE,
)
_WEIGHTS_ALONE = re.compile(r"[\d}$]\s*weights\b|\b(?:plus|and|aur)\s+[\d,{}$]*\s*bias", re.IGNORECASE)
"""Behind a count: `2,359,296 weights plus 3,072 biases`."""
_ALL_HEADS = re.compile(r"\ball heads\b|\bsaare heads\b|\btogether\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\bmulti-?\s?head (?:self-)?attention\b|\bMHA\b|\battention (?:layer|module|sub-?layer)s?\b|\bself-attention\b|"
    r"\bnn\.MultiheadAttention\b|\ball four\b|\bfour (?:matrices|projections|weight matrices)\b|\b(?:char|chaar|chaaron|charon) (?:matrices|projections)\b|"
    r"\b(?:whole|entire|poori|puri) layer\b|\bthe attention of (?:a|each|one|every) layer\b|\battention (?:parameters|weights) (?:per|a|in each) layer\b|"
    r"\b(?:each|every|har|a|one) layer(?:'s| ka| ke| ki)? attention\b",
    re.IGNORECASE,
)
_PARTS = re.compile(
    rf"{_THREE.pattern}|{_OUTPUT.pattern}|\b(?:projections?|matri(?:x|ces)|in_proj\w*|quer(?:y|ies)|keys?|values?)\b|{_MATRIX.pattern}",
    re.IGNORECASE,
)
_ALL_FOUR = re.compile(
    r"\(?(?:Q, K,? ?V|queries, keys,? values|query, key,? value),? (?:and|aur|plus) (?:the )?(?:W_?O|O|output)\b(?: projections?| matrix)?",
    re.IGNORECASE,
)
_SEVERAL_LAYERS = re.compile(
    r"\b(?:two|three|four|five|six|eight|ten|twelve|both|do|dono|teen|teeno|char|chhah)\b[^.;:,]{0,30}\b(?:layers|modules|attentions?)\b|\bd_\{?v\}?\s*=",
    re.IGNORECASE,
)
"""Or other values than keys."""
_OUT_OF = re.compile(r"\bof (?:the |its |all )?[\s$]*$", re.IGNORECASE)
_A_COUNT = re.compile(r"\d[\s$]{0,3}(?:parameters|params|weights)\b|\d{3}[}$]*;", re.IGNORECASE)


def parameter_rights(words: str, clause: str, layer: Layer) -> Rights | None:
    if layer.d is None or _MORE_THAN_ATTENTION.search(words) or layer.d > 10**6 or _OUT_OF.search(clause):
        return None
    d, h = layer.d, layer.h or 1
    one_head = _is_of_one_head(words, clause) and not _ALL_HEADS.search(words)
    if one_head and layer.h and re.search(rf"[×*x·]\s*{layer.h}\b[^,;]*$", clause):
        return None  # 98,304 a head; × 8 = 786,432
    if one_head and layer.k and not layer.h:
        h = max(1, d // layer.k)
    if layer.k is None and d % h:
        return None
    k = layer.k or d // h
    g = layer.g or h
    if h * k != d and layer.model is None:
        return None
    counted = _Parameters(d, h, k, g, *_biases(words, clause, layer))
    found = _of_subject(counted, words, clause, layer, one_head=one_head)
    if found is None:
        return None
    rights, also, slips = found
    also = [*also, *counted.mentioned(words, clause)]
    if layer.layers:
        also += [Right(right.value * layer.layers, f"{layer.layers} · ({right.formula})") for right in (*rights, *also)]
    after = max((match.end() for match in _A_COUNT.finditer(clause)), default=0)
    if _SEVERAL_LAYERS.search(words):
        return [], [*rights, *also], []
    if after and not (_WHOLE.search(clause, after) or _ONE_HEAD.search(clause, after) or _EACH.search(clause, after)):
        return [], [*rights, *also], []  # one of several
    return rights, also, slips


def _biases(words: str, clause: str, layer: Layer) -> tuple[bool, bool]:
    """Whether the words say that there are none, and whether they say that there are some."""
    without, said = len(_NO_BIAS.findall(words)), len(_BIAS.findall(words))
    if without and said > without:  # 2,359,296 parameters without biases, 2,362,368 with them
        return False, False
    if _WEIGHTS_ALONE.search(words, len(clause), len(clause) + _NEAR):
        return True, False
    if layer.model is not None and not said and layer.model.biases is not None:
        return not layer.model.biases, layer.model.biases
    return bool(without), said > without


def _of_subject(counted: "_Parameters", words: str, clause: str, layer: Layer, *, one_head: bool) -> Rights | None:
    matrices = {(match[1] or match[2]).upper() for match in _MATRIX.finditer(words)}
    if one_head:
        return counted.one_head(len(matrices)) if counted.h > 1 else None
    if _EACH.search(words) and counted.g == counted.h and not _WHOLE.search(clause):
        return counted.each()
    if (_WHOLE.search(words) and layer.h is not None) or (
        _OUTPUT.search(words) and (_THREE.search(words) or matrices >= {"Q", "K", "V"})
    ):
        return counted.whole(times=_of_layers(clause, layer))
    return None


def subject_is_whole_layer(before: str, words: str, behind: str) -> bool:
    """Whether a count is of all four matrices: `before` it a layer is named, and neither a head nor a part of it nearer."""
    near = before[-_NEAR:]
    if (
        not _WHOLE.search(before)
        or _MORE_THAN_ATTENTION.search(words)
        or _is_of_one_head(before + " " * 9 + behind, before)
    ):
        return False
    return not (_MATRIX.search(near) or _PART.search(near) or _THREE.search(near) or _EACH.search(near))


def _is_of_one_head(words: str, clause: str) -> bool:
    """Whether a head is the last thing named before the count, or stands directly behind it."""
    before = max((match.end() for match in _ONE_HEAD.finditer(clause)), default=-1)
    whole = max((match.end() for match in _WHOLE.finditer(clause)), default=-1)
    if before > whole and not _OF_ELSE.search(clause, before):
        return True
    behind = _ONE_HEAD.search(words, len(clause), len(clause) + _NEAR)
    return behind is not None and not _NEW_CLAUSE.search(words, len(clause), behind.start())


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

    def whole(self, *, times: int) -> Rights:
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
        slips = [
            (three, "the output projection W_O was left out"),
            (three + 3 * self.d, "the output projection W_O was left out"),
            (plain, "the biases were left out"),
            (biased, "biases were counted"),
            (plain * self.h, "the heads share the width; more heads do not mean more parameters"),
        ]
        if times > 1:
            rights = [Right(right.value * times, f"{times} · {right.value:,}") for right in rights]
            slips = [(value * times, why) for value, why in slips]
        return rights, [], [slip for slip in slips if slip[0] not in [right.value for right in rights]]

    def mentioned(self, words: str, clause: str) -> list[Right]:
        """What else the sentence speaks of: heads, single matrices, biases, or all of them after another count."""
        d, k, narrow = self.d, self.k, self.g * self.k
        of_each = _EACH.search(words) is not None and not _WHOLE.search(words)
        parts = _A_COUNT.search(clause) is not None or (
            _PARTS.search(_ALL_FOUR.sub("", words)) is not None and not of_each
        )
        found = []
        if _WHOLE.search(words):
            rights, _, _ = self.whole(times=1)
            found += [right.value for right in rights]
        if parts or _ONE_HEAD.search(words):
            found += [times * (d * k + bias) for times in (1, 2, 3, 4) for bias in (0, k)]
        if parts:
            found += [times * (d * d + bias) for times in (1, 2, 3, 4) for bias in (0, d)]
            found += [d * narrow, 2 * d * narrow, d * d + 2 * d * narrow]
        if parts or _BIAS.search(words):
            found += [times * d for times in (1, 2, 3, 4)]
        return [Right(value, "a part of the layer") for value in found]
