"""Where the numbers of the questions come from: lists, and layers of released models."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from mha_quiz.families.presets import GROUPED, MULTI_HEAD, VIT_B_16, Model
from mha_quiz.question import NoVariant, Text
from mha_quiz.sized import Sized

WIDTHS = (64, 128, 192, 256, 320, 384, 512, 640, 768, 1024, 1280, 1600, 2048, 4096)
HEADS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32)
TOKENS = (6, 7, 10, 12, 16, 20, 48, 100, 128, 197, 256, 384, 512, 1024, 2048)
MANY_TOKENS = (100, 512, 1000, 4096, 8192)
"""For questions of memory."""
FEW = 12
"""Tokens of a small question."""
KEYS = (5, 9, 11, 24, 77, 150, 300, 600)
BATCHES = (2, 3, 4, 5, 8)
KEY_WIDTHS = (32, 48, 64, 96, 128)
VALUE_WIDTHS = (16, 24, 40, 80, 96, 160)
MLP_WIDTHS = (1024, 2048, 3072, 4096, 11008, 14336)
WIDEST_MLP = 16
"""Times d_model; a wider one leaves attention no share worth asking for."""
LAYERS = (6, 12, 24, 32, 48, 80)
BYTES = (2, 4)
FACTORS = (2, 3, 4, 5)
SPLITS = tuple(
    (d, h, c)
    for d in WIDTHS
    for h in HEADS
    for c in FACTORS
    if d % (c * h) == 0 and d // (c * h) >= 16 and d // h <= 256
)
"""d, h and c such that c·h heads still have a usual width."""

MODEL_SHARE = 0.3
"""How many layers are of a released model."""
_SMALL_SHARE = 0.2
"""How many can be worked out in the head."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The numbers of one attention layer, and how to tell them."""

    d: int
    """d_model."""
    h: int
    """Query heads."""
    g: int
    """Key/value heads."""
    model: Model | None
    """The released model it is taken from."""

    @property
    def k(self) -> int:
        """Width of a head."""
        return self.d // self.h

    @property
    def said(self) -> Text:
        """A sentence with d_model and the number of heads."""
        if self.g == self.h:
            en, hinglish = f"and {self.h} heads", f"hai aur {self.h} heads hain"
        else:
            heads = f"{self.h} query heads"
            en = f"{heads} and {self.g} key/value heads"
            hinglish = f"{heads} aur {self.g} key/value heads hain"
        comma = "" if self.g == self.h else ","
        if self.model:
            name = self.model.name
            return Text(
                f"{name} has d_model = {self.d}{comma} {en}.", f"{name} mein d_model = {self.d}{comma} {hinglish}."
            )
        return Text(f"A layer has d_model = {self.d}{comma} {en}.", f"d_model = {self.d}{comma} {hinglish}.")

    def before(self, prompt: Text) -> Text:
        """The prompt; behind a sentence on the model, if it is of one."""
        return self.said + prompt if self.model else prompt


def layer(rng: Random, models: Sequence[Model] = MULTI_HEAD) -> Layer:
    """A layer whose query heads have keys and values of their own; of one of the models now and then."""
    if isinstance(rng, Sized):
        return Layer(rng.sizes.d, rng.sizes.h, rng.sizes.h, None)
    kind = rng.random()
    if models and kind < MODEL_SHARE:
        model = rng.choice(models)
        return Layer(model.d, model.h, model.g, model)
    d = min(WIDTHS) if kind > 1 - _SMALL_SHARE else rng.choice(WIDTHS)
    h = rng.choice([h for h in HEADS if d % h == 0 and 16 <= d // h <= 256 and h != d // h])
    return Layer(d, h, h, None)


def grouped_layer(rng: Random) -> Layer:
    """A layer where several query heads share a key/value head. NoVariant if the given heads cannot."""
    if isinstance(rng, Sized) and not divisors_between(rng.sizes.h):
        raise NoVariant(f"{rng.sizes.h} heads have no number of key/value heads")
    if not isinstance(rng, Sized) and rng.random() < MODEL_SHARE:
        model = rng.choice(GROUPED)
        return Layer(model.d, model.h, model.g, model)
    while not (groups := divisors_between((drawn := layer(rng, ())).h)):
        pass
    return Layer(drawn.d, drawn.h, rng.choice(groups), None)


def split(rng: Random) -> tuple[Layer, int]:
    """A layer and c such that c·h heads share the width as well. NoVariant if the given width has no such c."""
    if isinstance(rng, Sized):
        d, h = rng.sizes.d, rng.sizes.h
        factors = [c for c in FACTORS if d % (c * h) == 0]
        if not factors:
            raise NoVariant(f"a width of {d} cannot be shared by a multiple of {h} heads")
        return Layer(d, h, h, None), rng.choice(factors)
    if rng.random() < MODEL_SHARE:
        model = rng.choice(MULTI_HEAD)
        return Layer(model.d, model.h, model.h, model), rng.choice((2, 4))
    d, h, c = rng.choice(SPLITS)
    return Layer(d, h, h, None), c


def divisors_between(h: int) -> list[int]:
    """Numbers of key/value heads with 1 < g < h; not √h, where g and h/g could not be told apart."""
    return [g for g in range(2, h) if h % g == 0 and g * g != h]


def tokens(rng: Random, drawn: Layer, avoid: Iterable[int] = (), lengths: Sequence[int] = TOKENS) -> int:
    """A length that the layer's model can take, and none that could be mistaken for another number of the layer."""
    if isinstance(rng, Sized) and rng.sizes.n and (lengths is TOKENS or rng.sizes.n <= max(lengths)):
        return rng.sizes.n
    if drawn.model is VIT_B_16:
        return 197  # a picture of another size would be another model
    taken = {drawn.d, 2 * drawn.d, drawn.h, drawn.k, *avoid}
    most = drawn.model.context if drawn.model and drawn.model.context else max(lengths)
    if drawn.d == min(WIDTHS):
        most = FEW
    return rng.choice([n for n in lengths if n not in taken and n <= most])


def other_than(rng: Random, choices: Sequence[int], *taken: int) -> int:
    """One of the choices that equals none of the taken numbers."""
    return rng.choice([choice for choice in choices if choice not in taken])
