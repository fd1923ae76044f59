"""The rules of *Estafado* in short, all cards, and how to type moves, in English and Spanish."""

import textwrap

from sobremesa.envs.core.game import check_language
from sobremesa.envs.estafado.cards import CARDS
from sobremesa.envs.estafado.text.cards import card_effect, card_name
from sobremesa.envs.estafado.text.words import COLUMNS

_HELP = {
    "en": """\
The Fox hunts three rabbits among 25 face-down cards. The Crow moves the cards,
her Bear hunts the Fox, and his Eagle hunts the Crow.
  The Fox wins with three rabbits, or when the Eagle and the Crow meet.
  The Crow wins when the Bear and the Fox meet, or when the Sun has gone round:
  after twenty rounds.

Before the first round the Fox's player chooses a space for the Eagle, five or
more from the Crow (any but hers with reading=rulebook). With reading=dusk two
rounds and one rabbit are left, and the last flight of the Eagle ends the deal.

Each round:
  1. The Fox takes a step: two cards, in any directions but diagonally and not
     back to where he began, and he turns up a face-down card where he ends. Or
     one card, and he turns up nothing. The Bear's card is closed to him.
  2. The Eagle flies one space along the ring; once in the deal, two.
  3. The Crow slides one space along the ring, looks at a face-down card of the
     row or column before her, and must swap it: with any card but a rabbit or
     a 'do not swap' card that lies face-up; or, three times in the deal, with
     the top of the deck, and the card she looked at is buried for good. A
     rabbit cannot be buried.
  4. The Bear moves one card, not back to where it was the turn before.
  5. The Sun moves one space.

A card that is turned up acts. First the Fox may play a card from his hand in
its place, unless it is a rabbit, is marked 'do not swap', or is the Vixen's.
His hand begins with five cards and is not refilled. When his step is over,
cards are turned down again, but for those that stay face-up. Those do nothing
when he comes back, but a rabbit is met anew, and from a tunnel he may move to
any of the eight cards around.

Rabbit #2 is rolled for twice, #1 once, #0 not at all. If any roll lets it
dodge (2 faces of 6) it gets away. For one that is caught the Fox takes another
step at once, and a card from the deck takes its place.

The Vixen is placed once, before the Fox or the Eagle moves. Her card is
neither looked at nor swapped by the Crow, not swapped by the Fox, and the Bear
cannot enter it.

The table shows what you have seen, wherever open swaps have taken it. The
Hurricane, which has a back of its own, and the Raccoon make both forget. A
card that came from the deck is no rabbit, and is shown as such.

The cards:
{cards}

Choices with one answer are made for you. A cell is a column and a row: c3. A
space of the ring is a side (N, E, S, W) and its row or column: Na, E3. Steps
along the ring: + is clockwise, - anticlockwise.

Type a move by its number in the list or by its name: go c3, tunnel b2, vixen
d4, look b2, swap c4, bear d5, eagle at Nb, eagle +1, eagle -2, crow -1, hand 2,
deck, pass.
A leap is typed as go, the Eagle's dive as eagle.""",
    "es": """\
El Zorro busca tres conejos entre 25 cartas boca abajo. La Cuerva mueve las
cartas, su Oso va a por el Zorro, y el Águila del Zorro va a por la Cuerva.
  Gana el Zorro con tres conejos, o si el Águila y la Cuerva se encuentran.
  Gana la Cuerva si el Oso y el Zorro se encuentran, o si el Sol da la vuelta
  entera: a las veinte rondas.

Antes de la primera ronda, quien lleva al Zorro elige un espacio para el Águila,
a cinco o más de la Cuerva (cualquiera menos el suyo con reading=rulebook). Con
reading=dusk quedan dos rondas y un conejo, y la partida acaba con el último
vuelo del Águila.

En cada ronda:
  1. El Zorro se mueve dos cartas, en las direcciones que quiera, pero no en
     diagonal ni para volver a donde empezó, y descubre la carta a la que llega
     si está boca abajo. O se mueve una carta y no descubre nada. La carta del
     Oso está cerrada para él.
  2. El Águila vuela un espacio por el borde; una vez por partida, dos.
  3. La Cuerva se desliza un espacio por el borde, mira una carta boca abajo de
     la fila o columna que tiene delante y debe cambiarla: por cualquier carta,
     salvo un conejo o una de «no se cambia» que estén boca arriba; o, tres
     veces por partida, por la de encima de la baraja, y la que ha mirado queda
     enterrada. Un conejo no se puede enterrar.
  4. El Oso se mueve una carta, sin volver a donde estaba el turno anterior.
  5. El Sol avanza un espacio.

La carta que se descubre actúa. Antes, el Zorro puede jugar en su lugar una de
su mano, si no es un conejo, no lleva «no se cambia» y no la protege la Zorra.
Su mano empieza con cinco cartas y no se repone. Al acabar su movimiento se
vuelven boca abajo, salvo las que se quedan boca arriba. Esas no hacen nada si
vuelve, pero a un conejo se lo encuentra de nuevo, y desde un túnel puede ir a
cualquiera de las ocho cartas de alrededor.

Por el Conejo #2 se tira dos veces, por el #1 una y por el #0 ninguna. Si en
alguna tirada esquiva (2 caras de 6), se escapa. Por cada conejo atrapado el
Zorro tiene otro movimiento de inmediato, y una carta de la baraja ocupa el
sitio del conejo.

La Zorra se coloca una vez, antes de que se mueva el Zorro o el Águila. La
Cuerva no puede mirar ni cambiar su carta, el Zorro tampoco puede cambiarla, y
el Oso no puede entrar en ella.

La mesa muestra lo que has visto, aunque se haya cambiado de sitio a la vista
de todos. El Huracán, que se conoce por el reverso, y el Mapache hacen que se
olvide. Una carta que vino de la baraja no es un conejo, y así se indica.

Las cartas:
{cards}

Si no hay elección, se juega por ti. Una casilla es una columna y una fila: c3.
Un espacio del borde es un lado (N, E, S, O) y su fila o columna: Na, E3. Pasos
por el borde: + es en sentido horario, - en sentido antihorario.

Escribe la jugada por su número en la lista o por su nombre: ir c3, túnel b2,
zorra d4, mirar b2, cambiar c4, oso d5, águila en Nb, águila +1, águila -2,
cuerva -1, mano 2, baraja, pasar.
El salto se escribe con ir; la zambullida del Águila, con águila.""",
}


def help_text(language: str) -> str:
    """Return the rules in short, all cards with their effects, and how to type moves."""
    check_language(language)
    groups: dict[str, list[str]] = {}
    for kind, card in enumerate(CARDS):
        name = card_name(kind, language)
        groups.setdefault(card_effect(kind, language), []).append(f"{name} ×{card.copies}" if card.copies > 1 else name)
    lines = [line for what, names in groups.items() for line in _wrapped(f"{', '.join(names)}: {what}")]
    return _HELP[language].format(cards="\n".join(lines))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
