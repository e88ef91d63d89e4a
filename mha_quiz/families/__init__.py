"""The question families, theme by theme."""

from mha_quiz.families.costs import COSTS
from mha_quiz.families.memory import MEMORY
from mha_quiz.families.parameters import PARAMETERS
from mha_quiz.families.pytorch import PYTORCH
from mha_quiz.families.shapes import SHAPES
from mha_quiz.families.values import VALUES
from mha_quiz.question import Family

FAMILIES: tuple[Family, ...] = (*SHAPES, *PARAMETERS, *COSTS, *MEMORY, *VALUES, *PYTORCH)
