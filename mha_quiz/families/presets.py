"""Attention layers of released models, as published in their papers and configurations."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    d: int
    """d_model."""
    h: int
    """Query heads."""
    g: int
    """Key/value heads; `h` where every query head has its own."""
    layers: int
    """Those with self-attention that keep a cache."""
    f: int
    """Width of the MLP."""
    gated: bool
    """Whether the MLP has three matrices instead of two."""
    context: int | None
    """Most tokens of one sequence, where it is certain."""
    biases: bool | None
    """Whether the four projections have biases; None where the paper is silent."""
    caches: bool
    """Whether it generates token by token."""


TRANSFORMER_BASE = Model("Transformer base", 512, 8, 8, 6, 2048, False, None, None, True)
TRANSFORMER_BIG = Model("Transformer big", 1024, 16, 16, 6, 4096, False, None, None, True)
BERT_BASE = Model("BERT base", 768, 12, 12, 12, 3072, False, 512, True, False)
BERT_LARGE = Model("BERT large", 1024, 16, 16, 24, 4096, False, 512, True, False)
GPT2_SMALL = Model("GPT-2 small", 768, 12, 12, 12, 3072, False, 1024, True, True)
GPT2_MEDIUM = Model("GPT-2 medium", 1024, 16, 16, 24, 4096, False, 1024, True, True)
GPT2_LARGE = Model("GPT-2 large", 1280, 20, 20, 36, 5120, False, 1024, True, True)
GPT2_XL = Model("GPT-2 XL", 1600, 25, 25, 48, 6400, False, 1024, True, True)
LLAMA_2_7B = Model("Llama-2-7B", 4096, 32, 32, 32, 11008, True, 4096, False, True)
LLAMA_3_8B = Model("Llama-3-8B", 4096, 32, 8, 32, 14336, True, 8192, False, True)
LLAMA_3_70B = Model("Llama-3-70B", 8192, 64, 8, 80, 28672, True, 8192, False, True)
T5_SMALL = Model("T5-small", 512, 8, 8, 6, 2048, False, None, False, True)
VIT_B_16 = Model("ViT-B/16", 768, 12, 12, 12, 3072, False, 197, True, False)

MODELS = (
    TRANSFORMER_BASE,
    TRANSFORMER_BIG,
    BERT_BASE,
    BERT_LARGE,
    GPT2_SMALL,
    GPT2_MEDIUM,
    GPT2_LARGE,
    GPT2_XL,
    LLAMA_2_7B,
    LLAMA_3_8B,
    LLAMA_3_70B,
    T5_SMALL,
    VIT_B_16,
)
MULTI_HEAD = tuple(model for model in MODELS if model.g == model.h)
GROUPED = tuple(model for model in MODELS if model.g < model.h)
WITH_BIASES = tuple(model for model in MODELS if model.biases)
WITHOUT_BIASES = tuple(model for model in MULTI_HEAD if model.biases is False)
CACHING = tuple(model for model in MODELS if model.caches and model.context)
ENCODER_DECODER = (TRANSFORMER_BASE, TRANSFORMER_BIG, T5_SMALL)
"""Those with cross-attention."""
SHORT_TEXTS = tuple(model for model in MULTI_HEAD if model is not VIT_B_16)
"""Those that also read few tokens; a picture always has its 197."""
SCALED = tuple(model for model in MULTI_HEAD if model is not T5_SMALL)
"""Those that divide their scores by √d_k; T5 folds the factor into its initial values."""
