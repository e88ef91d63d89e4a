"""Questions that are alike in all but one word, number or symbol are told apart; their translations are not."""

import pytest

from cards.contrasts import Side, asked, differ, names


def are_told_apart(one: str, other: str) -> bool:
    mine, yours = Side.of(one), Side.of(other)
    return differ(asked(mine), asked(yours), (names(mine), names(yours)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What does a left join keep?", "Right join kya rakhta hai?"),
        ("What does an inner join keep?", "Full outer join kya rakhta hai?"),
        ("First heart sound?", "Doosri heart sound?"),
        ("What comes before softmax?", "Softmax ke baad kya aata hai?"),
        ("Who makes the query in cross-attention?", "Self-attention mein query kaun banata hai?"),
        ("How many layers has the encoder?", "Decoder mein kitni layers hain?"),
        ("What is a type I error?", "Type II error kya hai?"),
        ("Which vitamin K is there?", "Vitamin D kaunsa hai?"),
        ("`UNION` gives?", "`UNION ALL` kya deta hai?"),
        ("`COUNT(*)` counts?", "`COUNT(x)` kya ginta hai?"),
        ("Which port has SSH?", "HTTP ka port?"),
        ("What does LayerNorm do?", "BatchNorm kya karta hai?"),
        ("Bytes of a fp16 number?", "fp32 number ke bytes?"),
        ("Shape of $Q$?", "$K$ ki shape?"),
        ("Cross join of 3 and 4 rows?", "5 aur 6 rows ka cross join?"),
        ("What does a cross join give?", "5 aur 6 rows ka cross join?"),
        ("Chance with 2 dice?", "1,000 dice ka chance?"),
    ],
)
def test_one_thing_is_other(one: str, other: str) -> None:
    assert are_told_apart(one, other)
    assert are_told_apart(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What does a left join keep?", "Left join kya rakhta hai?"),
        ("First heart sound?", "Pehli heart sound?"),
        ("What comes before softmax?", "Softmax se pehle kya aata hai?"),
        ("Which is larger, the first or the second?", "Pehla bada hai ya dusra?"),
        ("Is the first larger than the second?", "Kya second chhota hai?"),
        ("What are the 2 kinds?", "Do tarah kaunse hain?"),
        ("What are the two kinds?", "2 tarah kaunse hain?"),
        ("1 token gives?", "Ek token kya deta hai?"),
        ("With 1,000 tokens?", "1000 tokens ke saath?"),
        ("What does the KV cache hold?", "Key-value cache mein kya hota hai?"),
        ("Why is it NOT masked?", "Mask KYUN nahi hota?"),
        ("Call `f( x )`?", "`f(x)` call karo?"),
        (r"Why divide by $\sqrt{d_k}$?", "$d_k$ se divide kyun karte hain?"),
        (r"Why $d_{\text{model}}$?", "$d_{model}$ kyun?"),
    ],
)
def test_translations(one: str, other: str) -> None:
    assert not are_told_apart(one, other)
    assert not are_told_apart(other, one)


def test_an_answer_may_say_the_name() -> None:
    one, other = asked(Side.of("Who makes SSH?")), asked(Side.of("HTTP kaun banata hai?"))
    assert differ(one, other, (frozenset({"ssh"}), frozenset({"http"})))
    assert not differ(one, other, (frozenset({"ssh", "http"}), frozenset({"http"})))
