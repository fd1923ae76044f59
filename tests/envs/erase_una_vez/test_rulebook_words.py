"""The rulebook's own examples, told in words of ours: what each of them lets be played, claimed or refused."""

import pytest
from erase_tables import ACTIONS, GAME, choices, do, table, weight

TELLING = GAME.words.telling
EMPTY = ["Hacha", "Capilla", "Sueño"]

# Per example: the sentence in both languages, things told before, cards that may be played or claimed, and cards that
# may not.
EXAMPLES = [
    ("El cruel rey no puede ser vencido, pues habita un palacio en lo alto de una montaña.",
     "Nobody can defeat the wicked king, for he lives in a palace at the top of a mountain.",
     "", "Rey, Palacio, Montaña", ""),
    ("Por el camino encontró pueblos con caballos, pastoras, madrastras, ranas, gigantes, lobos y cabras que hablan.",
     "On the way there were villages with horses, shepherds, stepmothers, frogs, giants, wolves and goats that talk.",
     "Montaña*", "", "Caballo, Pastora, Madrastra, Rana, Gigante, Lobo"),
    ("Así que se durmió a la sombra de un roble en medio del bosque.",
     "So he fell asleep in the shade of an oak in the middle of the forest.",
     "", "Bosque, Árbol, Dormido(a)", ""),
    ("El rey y una leñadora se enamoraron.",
     "The king fell in love with the woodcutter's daughter.",
     "", "Dos personas se enamoran, Rey", ""),
    ("Pasó un año, y la muchacha tuvo un bebé.",
     "A year later the young woman gave birth to a baby.",
     "Rey*", "Niño(a), Príncipe", ""),
    ("Iba de puntillas por la cueva cuando se oyó un ruido grave y ronco.",
     "He was tiptoeing through the cave when there came a deep, hoarse noise.",
     "", "Cueva", "Monstruo, Dormido(a)"),
    ("Había una vez una anciana.", "Once there was an old woman.", "", "Anciana", ""),
    ("Su tierra era muy pobre, y la gobernaba un rey malvado.",
     "She lived in a very poor country that was ruled by an evil king.",
     "Anciana*", "Rey, Malvado", ""),
    ("Para encontrarlo emprendió un largo viaje.", "To find him she set out on a long journey.",
     "Anciana*", "Un viaje", ""),
    ("Caminó varios días y llegó a un pueblo.", "She walked for days and came to a village.", "Anciana*", "Pueblo", ""),
    ("El héroe tenía su casa en lo más alto de una montaña próxima.", "The hero lived at the top of a mountain nearby.",
     "Anciana*", "Montaña", ""),
    ("La anciana golpeó la puerta con los nudillos.", "The old woman knocked at the door.", "Anciana*", "Puerta", ""),
    ("Como nadie respondía, miró dentro por una ventana.", "As nobody answered, she looked in through a window.",
     "Anciana*, Puerta*", "Ventana", ""),
    ("Por el cristal vio a un hombre con los codos en la mesa.", "She saw a man sitting at a table.",
     "Anciana*, Ventana*", "", "Encuentro entre personas"),
    ("De debajo del mantel salió una rana, y le habló.", "A frog came out from under the table and spoke to her.",
     "Anciana*, Ventana*", "Este animal puede hablar, Rana", "Este objeto puede hablar"),
    ("Contó que la transformó en rana una bruja malvada.", "It said that an evil witch had turned it into a frog.",
     "Anciana*, Rana*", "Bruja, Malvado, Transformación", ""),
]  # fmt: skip
VERDICTS = [
    (text, tale, card, right)
    for *texts, tale, yes, no in EXAMPLES
    for text in texts
    for cards, right in ((yes, True), (no, False))
    for card in cards.split(", ")
    if card
]


def told(text, tale, card):
    """Return the table after the sentence, told as the likeliest thing apart from a card that another player holds."""
    states = table(["Hacha", card, "Sueño"], tale=tale, setup={"telling": "words"})
    saying = TELLING.listen(states, text, TELLING.language(text))
    chosen = TELLING.actions(states, saying)[0]
    TELLING.say(states, chosen, saying)
    return do(states, ACTIONS[chosen])


@pytest.mark.parametrize(("text", "tale", "card", "right"), VERDICTS)
def test_an_example_of_the_rulebook_is_judged_as_in_it(text, tale, card, right):
    states = told(text, tale, card)
    assert (weight(states, card) >= 75) == right
    if right:
        assert f"claim {card}" in choices(states)
    assert "protest" not in choices(states)
