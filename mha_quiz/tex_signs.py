"""What TeX commands and scripts look like in a terminal; every sign is one column wide."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _table(text: str) -> dict[str, str]:
    pairs = (entry.split(":") for entry in text.split())
    return {name: sign for names, sign in pairs for name in names.split(",")}


RELATIONS = _table(
    r"""
    =:= <,lt:< >,gt:> le,leq,leqslant:≤ ge,geq,geqslant:≥ ne,neq:≠ approx:≈ equiv:≡ sim:∼ simeq:≃ cong:≅ propto:∝
    in:∈ notin:∉ ni:∋ subset:⊂ subseteq:⊆ supset:⊃ supseteq:⊇ to,rightarrow,longrightarrow:→ leftarrow,gets:←
    leftrightarrow:↔ Rightarrow,implies,Longrightarrow:⇒ Leftarrow:⇐ Leftrightarrow,iff:⇔ mapsto:↦ gg:≫ ll:≪ mid:|
    parallel:∥ perp:⊥
    """
)
BINARY = _table(
    r"""
    +:+ -:− cdot:· times:× pm:± mp:∓ div:÷ odot:⊙ otimes:⊗ oplus:⊕ circ:∘ cup:∪ cap:∩ setminus:∖ land,wedge:∧
    lor,vee:∨ ast:∗ bullet:•
    """
)
LARGE = _table("sum:∑ prod:∏ int:∫ oint:∮ bigcup:⋃ bigcap:⋂ bigoplus:⨁ bigotimes:⨂")
OPENING = _table("(:( [:[ lbrack:[ lbrace:{ langle:⟨ lfloor:⌊ lceil:⌈")
CLOSING = _table("):) ]:] rbrack:] rbrace:} rangle:⟩ rfloor:⌋ rceil:⌉")
ORDINARY = _table(
    r"""
    alpha:α beta:β gamma:γ delta:δ epsilon:ε varepsilon:ε zeta:ζ eta:η theta:θ vartheta:ϑ iota:ι kappa:κ lambda:λ mu:μ
    nu:ν xi:ξ pi:π varpi:ϖ rho:ρ varrho:ρ sigma:σ varsigma:ς tau:τ upsilon:υ phi:φ varphi:φ chi:χ psi:ψ omega:ω
    Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π Sigma:Σ Upsilon:Υ Phi:Φ Psi:Ψ Omega:Ω ell:ℓ hbar:ℏ
    infty:∞ partial:∂ nabla:∇ forall:∀ exists:∃ emptyset,varnothing:∅ top:⊤ bot:⊥ neg,lnot:¬ prime:′ dagger:† star:⋆
    dots,ldots,dotsc,dotso:… cdots,dotsb,dotsm:⋯ vdots:⋮ ddots:⋱ |,Vert,lVert,rVert:‖ vert,lvert,rvert:| backslash:\
    degree:° checkmark:✓ uparrow:↑ downarrow:↓ angle:∠ triangle:△ square:□ Re:ℜ Im:ℑ aleph:ℵ
    _:_ %:% $:$ &:& #:#
    """
)
FUNCTIONS = _names(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr"
    " sec sin sinh sup tan tanh"
)
FONTS = _names(
    "mathrm mathbf boldsymbol bm mathcal mathit mathsf mathtt mathfrak mathscr mathnormal operatorname pmb displaystyle"
    " textstyle scriptstyle"
)
TEXTS = _names("text textrm textbf textit textsf texttt textnormal mbox emph")
ACCENTS = _table(
    "hat,widehat:hat bar,overline:bar tilde,widetilde:tilde vec,overrightarrow:vec dot:dot ddot:ddot underline:underline"
)
BRACED = frozenset(("underbrace", "overbrace", "boxed"))
TWO_PLACED = _table("binom,dbinom,tbinom:binom overset,stackrel:overset underset:underset")
FRACTIONS = frozenset(("frac", "tfrac", "dfrac", "cfrac"))
UNSEEN = _names(
    "limits nolimits big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm middle , ; : ! >"
    " displaystyle textstyle scriptstyle nonumber notag"
)
BLANKS = {"quad": "  ", "qquad": "    ", " ": " ", "\n": " ", "enspace": " "}
MATRICES = frozenset(f"{kind}matrix{star}" for kind in ("", "p", "b", "B", "v", "V", "small") for star in ("", "*")) | {
    "array"
}
ROWS = frozenset(
    f"{name}{star}"
    for name in ("aligned", "align", "gathered", "gather", "split", "equation", "multline", "alignedat")
    for star in ("", "*")
)
CASES = frozenset(("cases", "cases*", "dcases", "rcases"))
BLACKBOARD = dict(zip("CHNPQRZE", "ℂℍℕℙℚℝℤ𝔼", strict=True))
SUBSCRIPTS = dict(zip("0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
SUPERSCRIPTS = dict(
    zip(
        "0123456789+−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW⊤∘",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵀ°",
        strict=True,
    )
)
NAMES = {
    sign: f"\\{name}"
    for table in (ORDINARY, OPENING, CLOSING, LARGE, BINARY, RELATIONS)
    for name, sign in reversed(table.items())
    if not sign.isascii()
}
"""The command for a sign that ASCII has no likeness of."""
