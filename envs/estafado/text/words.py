"""The words of *Estafado* in English and Spanish: of table.py and story.py, and the help."""

import textwrap

from sobremesa.envs.core.game import check_language
from sobremesa.envs.estafado.board import SIDE
from sobremesa.envs.estafado.cards import CARDS
from sobremesa.envs.estafado.text.cards import card_effect, card_name

COLUMNS = 78
SEATS = {"en": ("Fox", "Crow"), "es": ("Zorro", "Cuerva")}

# Numbered words belong to the value of a field: stage0 to START, ending3 to SUNSET. {card} is a cell with its card.
WORDS = {
    "en": {
        "round": "Round {} of {}",
        "over": "The deal is over · round {} of {}",
        "you": " (you)",
        "setup": "At this table: {}",
        "reading": "the Eagle may begin anywhere, and rabbits may be buried",
        "faces": "a rabbit dodges on {} of the 6 faces of the die",
        "rolls": "a rabbit is caught as soon as one roll does not save it",
        "bear_blocks": "the Fox may run onto the Bear's card, and loses",
        "yours": "Your choice: {}",
        "theirs0": "The Fox's choice: {}",
        "theirs1": "The Crow's choice: {}",
        "on": "On {card}: {effect}",
        "stage0": "a space for the Eagle",
        "stage1": "move the Fox two cards, or one without turning it up",
        "burrow": "or tunnel",
        "stage2": "pass and let this card act, or play one from the hand in its place",
        "stage3": "leap, or pass",
        "stage4": "tunnel, or pass",
        "stage5": "look at a card (looks left: {left}), or pass",
        "stage6": "a card to swap, or pass",
        "stage7": "the card to swap with {card}",
        "stage8": "dive with the Eagle (+ is clockwise), or pass",
        "stage9": "move the Eagle one space (+ is clockwise)",
        "double": "or two, once in the deal",
        "vixen": "or place the Vixen first",
        "stage10": "slide the Crow one space (+ is clockwise)",
        "stage11": "look at a face-down card of {line}",
        "stage12": "swap {card} with another card",
        "deck": "or with the top of the deck",
        "stage13": "move the Bear one card",
        "no_rabbit": "no rabbit",
        "fox": "Fox",
        "bear": "Bear",
        "eagle": "Eagle",
        "crow": "Crow",
        "sun": "Sun",
        "moon": "Moon",
        "vixen_token": "Vixen",
        "legend": "CAPITALS: face-up. Small letters: face-down, as you remember it. ·: unknown.",
        "legend_open": "CAPITALS: face-up. Small letters: face-down.",
        "fox_at": "Fox on {}",
        "began": ", his step began on {}",
        "bear_at": "Bear on {}",
        "came": ", came from {}",
        "vixen_at": "Vixen protects {}",
        "vixen_off": "Vixen not placed yet",
        "eagle_at": "Eagle at {}, {} {} of the Crow",
        "eagle_off": "Eagle not placed yet",
        "crow_at": "Crow at {}, before {}",
        "sun_at": "Sun at {}, steps left: {}",
        "clockwise": "clockwise",
        "anticlockwise": "anticlockwise",
        "column": "column {}",
        "row": "row {}",
        "left": "Still to use",
        "left_vixen": "the Vixen",
        "left_double": "two spaces for the Eagle",
        "left_deck": "swaps with the deck: {}",
        "due": "To come",
        "lost": "the Fox loses his next turn",
        "bear_skip": "the Bear will not move",
        "caught": "another step for the Fox",
        "prey": "Rabbits caught",
        "hand": "Your hand",
        "hand_of": "The Fox's hand",
        "hand_size": "Cards in the Fox's hand: {}",
        "no_cards": "no cards",
        "none": "none",
        "hurricane": "the Hurricane among them",
        "deck_size": "Deck: {} cards",
        "on_top": "the Hurricane on top",
        "next": "next: {}",
        "discards": "Discard pile",
        "pile": "Buried by the Crow",
        "unknown": "unknown",
        "fox_knows": "the Fox knows it",
        "swaps": "not marked 'do not swap'",
        "knows0": "Face-down cards that the Fox knows",
        "knows1": "Face-down cards that the Crow knows",
        "swappable": "Unknown, but not marked 'do not swap'",
        "unseen": "Cards that you have not located",
    },
    "es": {
        "round": "Ronda {} de {}",
        "over": "Fin de la partida · ronda {} de {}",
        "you": " (tú)",
        "setup": "En esta mesa: {}",
        "reading": "el Águila puede empezar en cualquier espacio y se pueden enterrar conejos",
        "faces": "un conejo esquiva con {} de las 6 caras del dado",
        "rolls": "basta con que al conejo le falle una tirada para atraparlo",
        "bear_blocks": "el Zorro puede entrar en la carta del Oso, y pierde",
        "yours": "Te toca: {}",
        "theirs0": "Le toca al Zorro: {}",
        "theirs1": "Le toca a la Cuerva: {}",
        "on": "En {card}: {effect}",
        "stage0": "elegir espacio para el Águila",
        "stage1": "mover al Zorro dos cartas, o una sin descubrirla",
        "burrow": "o ir por el túnel",
        "stage2": "pasar y dejar que actúe esta carta, o jugar en su lugar una de la mano",
        "stage3": "saltar, o pasar",
        "stage4": "ir por el túnel, o pasar",
        "stage5": "mirar una carta (quedan por mirar: {left}), o pasar",
        "stage6": "elegir una carta para cambiarla, o pasar",
        "stage7": "elegir la carta que se cambia con {card}",
        "stage8": "zambullir al Águila (+ es sentido horario), o pasar",
        "stage9": "mover al Águila un espacio (+ es sentido horario)",
        "double": "o dos, una vez por partida",
        "vixen": "o colocar antes a la Zorra",
        "stage10": "deslizar a la Cuerva un espacio (+ es sentido horario)",
        "stage11": "mirar una carta boca abajo de {line}",
        "stage12": "cambiar {card} por otra carta",
        "deck": "o por la de encima de la baraja",
        "stage13": "mover al Oso una carta",
        "no_rabbit": "sin conejo",
        "fox": "Zorro",
        "bear": "Oso",
        "eagle": "Águila",
        "crow": "Cuerva",
        "sun": "Sol",
        "moon": "Luna",
        "vixen_token": "Zorra",
        "legend": "MAYÚSCULAS: boca arriba. Minúsculas: boca abajo, recordada. ·: desconocida.",
        "legend_open": "MAYÚSCULAS: boca arriba. Minúsculas: boca abajo.",
        "fox_at": "Zorro en {}",
        "began": ", empezó su movimiento en {}",
        "bear_at": "Oso en {}",
        "came": ", viene de {}",
        "vixen_at": "la Zorra protege {}",
        "vixen_off": "la Zorra, sin colocar",
        "eagle_at": "Águila en {}, a {} de la Cuerva en {}",
        "eagle_off": "el Águila, sin colocar",
        "crow_at": "Cuerva en {}, ante {}",
        "sun_at": "Sol en {}, pasos que le quedan: {}",
        "clockwise": "sentido horario",
        "anticlockwise": "sentido antihorario",
        "column": "la columna {}",
        "row": "la fila {}",
        "left": "Por usar",
        "left_vixen": "la Zorra",
        "left_double": "dos espacios para el Águila",
        "left_deck": "cambios con la baraja: {}",
        "due": "Pendiente",
        "lost": "el Zorro pierde su próximo turno",
        "bear_skip": "el Oso no se moverá",
        "caught": "otro movimiento para el Zorro",
        "prey": "Conejos atrapados",
        "hand": "Tu mano",
        "hand_of": "Mano del Zorro",
        "hand_size": "Cartas en la mano del Zorro: {}",
        "no_cards": "ninguna carta",
        "none": "ninguno",
        "hurricane": "entre ellas el Huracán",
        "deck_size": "Baraja: {} cartas",
        "on_top": "encima está el Huracán",
        "next": "las próximas: {}",
        "discards": "Descartes",
        "pile": "Enterradas por la Cuerva",
        "unknown": "desconocida",
        "fox_knows": "la conoce el Zorro",
        "swaps": "sin el símbolo «no se cambia»",
        "knows0": "Cartas boca abajo que conoce el Zorro",
        "knows1": "Cartas boca abajo que conoce la Cuerva",
        "swappable": "Desconocidas, pero sin el símbolo «no se cambia»",
        "unseen": "Cartas que no has localizado",
    },
}

# By event (story.py): {card} and {other} are cells, with their cards if the reader knows them; {at} is a cell alone.
STORY = {
    "en": {
        "keeps": "The Fox lets {card} act.",
        "no_leap": "The Fox does not leap.",
        "no_tunnel": "The Fox does not tunnel.",
        "no_look": "The Fox looks no further.",
        "no_swap": "The Fox swaps nothing.",
        "no_dive": "The Eagle does not dive.",
        "picks": "The Fox picks {card} to be swapped.",
        "idle": "Nothing happens.",
        "starts": "The Eagle perches at {space}.",
        "creeps": "The Fox creeps one card, to {at}.",
        "runs": "The Fox runs two cards, to {at}.",
        "tunnels": "The Fox tunnels to {at}.",
        "leaps": "The Fox leaps to {at}.",
        "reveals": "The Fox turns up {card}.",
        "replaces": "The Fox plays {kind} from his hand on {at}; {old} goes to the discard pile.",
        "rolls": "{rabbit} tries to dodge; rolls that help it: {helped} of {rolls}.",
        "catches": "The Fox catches {rabbit} on {at}!",
        "refills": "A card from the deck comes to {card}, unseen.",
        "evades": "{rabbit} gets away and stays face-up on {at}.",
        "yikes": "Yikes! The Fox runs back to {at}.",
        "ouch": "Ouch! The Fox will lose his next turn.",
        "loses": "The Fox will lose his next turn.",
        "peeks": "The Fox looks at {card}.",
        "swaps": "The Fox swaps {card} and {other}, unseen.",
        "fails": "The Fox would swap {card} and {other}, but it cannot be done.",
        "shows": "Both are shown {card}: do not swap.",
        "dives": "The Eagle dives {way} to {space}.",
        "bear_skips": "The Bear will not move next time.",
        "steal": "{rabbit} slips back among the face-down cards, and nobody knows where.",
        "hurricane": "The wind mixes the face-down cards ({count}): nobody knows where they lie.",
        "leaves": "{kind} goes to the discard pile.",
        "down": "Face-down again: {cards}.",
        "extra": "For the rabbit the Fox takes one more step.",
        "lost_turn": "The Fox loses this turn.",
        "vixen": "The Vixen protects {card}.",
        "eagle": "The Eagle flies {way} to {space}.",
        "double": "The Eagle flies two spaces {way} to {space}, for the only time.",
        "slides": "The Crow slides {way} to {space}, before {line}.",
        "looks": "The Crow looks at {card}.",
        "nothing": "No card there is hidden from the Crow: she looks at none and swaps none.",
        "exchanges": "The Crow swaps {card} and {other}.",
        "buries": "The Crow buries {card}.",
        "bear": "The Bear lumbers from {old} to {at}.",
        "bear_stays": "The Bear stays on {at}, because of the Mosquito.",
        "bear_stuck": "The Bear on {at} has nowhere to go and forgets where it came from.",
        "sun": "The Sun moves on: end of round {count}.",
        "ending1": "The Fox wins: he has three rabbits.",
        "ending2": "The Fox wins: the Eagle has the Crow at {space}.",
        "ending3": "The Crow wins: the Sun has set.",
        "ending4": "The Crow wins: the Bear has the Fox on {at}.",
    },
    "es": {
        "keeps": "El Zorro deja actuar a {card}.",
        "no_leap": "El Zorro no salta.",
        "no_tunnel": "El Zorro no usa el túnel.",
        "no_look": "El Zorro no mira más.",
        "no_swap": "El Zorro no cambia nada.",
        "no_dive": "El Águila no se zambulle.",
        "picks": "El Zorro elige {card} para cambiarla.",
        "idle": "No pasa nada.",
        "starts": "El Águila se posa en {space}.",
        "creeps": "El Zorro avanza con sigilo una carta, hasta {at}.",
        "runs": "El Zorro corre dos cartas, hasta {at}.",
        "tunnels": "El Zorro va por el túnel hasta {at}.",
        "leaps": "El Zorro salta hasta {at}.",
        "reveals": "El Zorro descubre {card}.",
        "replaces": "El Zorro juega {kind} de su mano en {at}; {old} va a los descartes.",
        "rolls": "El {rabbit} intenta esquivar; tiradas a su favor: {helped} de {rolls}.",
        "catches": "¡El Zorro atrapa al {rabbit} en {at}!",
        "refills": "Una carta de la baraja pasa a {card} sin que nadie la mire.",
        "evades": "El {rabbit} se escapa y se queda boca arriba en {at}.",
        "yikes": "¡Qué susto! El Zorro vuelve corriendo hasta {at}.",
        "ouch": "¡Ay! El Zorro perderá su próximo turno.",
        "loses": "El Zorro perderá su próximo turno.",
        "peeks": "El Zorro mira {card}.",
        "swaps": "El Zorro cambia {card} por {other} sin verlas.",
        "fails": "El Zorro querría cambiar {card} por {other}, pero no se puede.",
        "shows": "Los dos ven {card}: no se cambia.",
        "dives": "El Águila se zambulle en {way} hasta {space}.",
        "bear_skips": "El Oso no se moverá la próxima vez.",
        "steal": "El {rabbit} vuelve a esconderse entre las cartas boca abajo, y nadie sabe dónde.",
        "hurricane": "El viento mezcla las cartas boca abajo ({count}): nadie sabe dónde están.",
        "leaves": "{kind} va a los descartes.",
        "down": "Otra vez boca abajo: {cards}.",
        "extra": "Por el conejo, el Zorro tiene otro movimiento.",
        "lost_turn": "El Zorro pierde este turno.",
        "vixen": "La Zorra protege {card}.",
        "eagle": "El Águila vuela en {way} hasta {space}.",
        "double": "El Águila vuela dos espacios en {way} hasta {space}, por única vez.",
        "slides": "La Cuerva se desliza en {way} hasta {space}, ante {line}.",
        "looks": "La Cuerva mira {card}.",
        "nothing": "Ninguna carta de ahí se le oculta a la Cuerva: ni mira ni cambia.",
        "exchanges": "La Cuerva cambia {card} por {other}.",
        "buries": "La Cuerva entierra {card}.",
        "bear": "El Oso va de {old} a {at}.",
        "bear_stays": "El Oso se queda en {at}, por el Mosquito.",
        "bear_stuck": "El Oso no tiene adónde ir desde {at} y olvida de dónde venía.",
        "sun": "El Sol avanza: fin de la ronda {count}.",
        "ending1": "Gana el Zorro: tiene tres conejos.",
        "ending2": "Gana el Zorro: el Águila alcanza a la Cuerva en {space}.",
        "ending3": "Gana la Cuerva: se ha puesto el Sol.",
        "ending4": "Gana la Cuerva: el Oso alcanza al Zorro en {at}.",
    },
}

_HELP = {
    "en": """\
The Fox hunts three rabbits among 25 face-down cards. The Crow moves the cards,
her Bear hunts the Fox, and his Eagle hunts the Crow.
  The Fox wins with three rabbits, or when the Eagle and the Crow meet.
  The Crow wins when the Bear and the Fox meet, or when the Sun has gone round:
  after twenty rounds.

Before the first round the Fox's player chooses a space for the Eagle, five or
more from the Crow (any but hers with reading=rulebook).

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
a cinco o más de la Cuerva (cualquiera menos el suyo con reading=rulebook).

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


def line_name(space: int, language: str) -> str:
    """Return the name of the column or row at whose end a space of the ring lies."""
    side, place = divmod(space, SIDE)
    back = SIDE - 1 - place
    words = WORDS[language]
    if side % 2 == 0:
        return words["column"].format("abcde"[back if side else place])
    return words["row"].format((place if side == 1 else back) + 1)


def help_text(language: str) -> str:
    """Return the rules in short, all cards with what they do, and how to type moves."""
    check_language(language)
    groups: dict[str, list[str]] = {}
    for kind, card in enumerate(CARDS):
        name = card_name(kind, language)
        groups.setdefault(card_effect(kind, language), []).append(f"{name} ×{card.copies}" if card.copies > 1 else name)
    lines = [line for what, names in groups.items() for line in _wrapped(f"{', '.join(names)}: {what}")]
    return _HELP[language].format(cards="\n".join(lines))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
