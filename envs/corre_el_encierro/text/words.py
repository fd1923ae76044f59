"""Words of *Corre el encierro* in English and Spanish."""

import textwrap

from sobremesa.envs.core.game import check_language
from sobremesa.envs.corre_el_encierro.cards import COPIES, STANDARD
from sobremesa.envs.corre_el_encierro.text.cards import card_name, effect

COLUMNS = 78

# What people type beside the names of cards. The lists are in the order of the actions in state.py: done, draw, stop,
# nothing; lose an object, give the special one, go back, give up. The first word of each is the name.
TURN_WORDS = {
    "en": (
        ("done", "end", "finish", "finished", "ready", "go on"),
        ("draw", "draw a card", "draw another card", "take", "take a card", "take another card", "card"),
        ("stop", "stop drawing", "enough"),
        ("nothing", "do nothing", "pass", "no", "none"),
    ),
    "es": (
        ("listo", "lista", "fin", "ya", "ya está", "he terminado", "terminar", "acabar", "seguir"),
        ("robar", "robar carta", "robar una carta", "robar otra carta", "robo", "coger carta", "carta", "otra carta"),
        ("parar", "paro", "parar de robar", "me planto", "plantarse", "basta"),
        ("nada", "no hacer nada", "no hago nada", "paso", "pasar", "no", "ninguna"),
    ),
}
PAY_WORDS = {
    "en": (
        ("lose an object", "lose object", "pay with an object", "pay an object", "an object", "object"),
        ("give the special object", "give special object", "pay with the special object", "special object", "special"),
        ("go back", "go back a location", "retreat", "back"),
        ("lose Ropa básica", "lose ropa", "lose my clothes", "give up", "out"),
    ),
    "es": (
        ("perder un objeto", "perder objeto", "pagar con un objeto", "pagar un objeto", "un objeto", "objeto"),
        ("dar el objeto especial", "dar especial", "pagar con el objeto especial", "objeto especial", "especial"),
        ("retroceder", "retrocedo", "atrás", "ir atrás"),
        ("perder la Ropa básica", "perder ropa básica", "perder ropa", "me rindo", "rendirse"),
    ),
}
DISCARD_WORDS = {"en": ("discard", "throw away", "drop"), "es": ("descartar", "descarto", "tirar", "descartarse de")}
LAY_WORDS = {"en": ("lay", "lay down", "put on", "play"), "es": ("bajar", "bajo", "poner", "ponerse", "jugar")}
PLAY_WORDS = {"en": ("play", "use"), "es": ("jugar", "juego", "usar", "uso")}  # may stand before cards

NO_TARGET = {
    "en": "{0!r} at whom? Add a number: '{0} +1' is the next runner, '{0} +2' the one after",
    "es": "¿{0!r} contra quién? Añade un número: '{0} +1' es el corredor siguiente, '{0} +2' el que va detrás",
}
NO_SUCH_MOVE = {
    "en": "{!r} is no move; write one such as 'Avanzar tramo', 'Kilikis +2', 'lay Capote', 'draw' or 'nothing'",
    "es": "{!r} no es una jugada; escribe una como 'Avanzar tramo', 'Kilikis +2', 'bajar Capote', 'robar' o 'nada'",
}

SHORT_LOCATIONS = ("Santo Domingo", "Ayuntamiento", "Mercaderes", "Estafeta", "Telefónica", "Callejón", "Plaza")
# Locations and objects as a sentence has them, and special objects from Capote on.
LOCATIONS = {
    "en": (
        "the Cuesta de Santo Domingo", "the Ayuntamiento", "Mercaderes", "Estafeta", "Telefónica", "the Callejón",
        "the Plaza de Toros",
    ),
    "es": (
        "la Cuesta de Santo Domingo", "el Ayuntamiento", "Mercaderes", "Estafeta", "Telefónica", "el Callejón",
        "la Plaza de Toros",
    ),
}  # fmt: skip
OBJECTS = {
    "en": ("Ropa básica", "Pañuelico", "Faja", "Boina", "Periódico enroscado"),
    "es": ("la Ropa básica", "el Pañuelico", "la Faja", "la Boina", "el Periódico enroscado"),
}

# Numbered words belong to the value of a field: phase1 to DISCARDING, stage5 to PAY, ending3 to SWEPT.
WORDS = {
    "en": {
        "turn": "Turn {} · {}: {}",
        "phase0": "playing",
        "phase1": "discarding",
        "phase2": "drawing",
        "moved": "has advanced",
        "lost": "has lost an object and draws no more",
        "over": "Game over · {} turns",
        "ending1": "{} wins: first at the Plaza de Toros.",
        "ending2": "{} wins: the last runner left.",
        "ending3": "{} wins: nobody got away, and nobody had kept more.",
        "shared": "{} shares the win: nobody got away, and nobody had kept more.",
        "conflict": "At this table: the deck with more conflict (2 Kilikis, 1 Desde la barrera)",
        "last_stretch": "At this table: the last stretch alone; most cards are discarded already",
        "yours": "Your choice: {}",
        "theirs": "{} to choose: {}",
        "stage0": "play cards, or be done",
        "stage1": "discard cards, or be done",
        "full": "discard a card to make room for the one to draw",
        "stage2": "draw another card, or stop",
        "stage3": "answer with Otra vez será, or do nothing",
        "stage4": "defend with a card or the special object, or do nothing",
        "stage5": "lose an object, or give the special object",
        "last": "go back a location, or lose Ropa básica and be out",
        "stage6": "flee from the Cabestros, or do nothing and be out",
        "attack": "{card}, played by {sender}, at {struck}",
        "drawn": "{card}, drawn by {sender}, hits {struck}",
        "sent": "{card}, sent by {sender}, hits {struck}",
        "next": "then {}",
        "closing": "The Cabestros sweep {}; in danger: {}",
        "still": "still to flee: {}",
        "closed": "closed",
        "runner": "runner",
        "place": "location",
        "objects": "objects",
        "special": "special",
        "cards": "cards",
        "status1": "will miss a turn",
        "status2": "behind barrier",
        "status3": "out",
        "you": " (you)",
        "worn": "Your objects",
        "hand": "Your hand",
        "empty": "none",
        "hand_of": "Hand of {}",
        "known": "Stolen from you",
        "known_by": "Stolen from {}",
        "has_it": "({} has it)",
        "or": " or ",
        "pile": "Cards left to draw: {}",
        "bulls": "Bulls among them ({})",
        "falls": "Falls among them ({})",
        "unseen": "Among them or in other hands",
        "in_pile": "The others",
        "first": "Next to be drawn",
        "discards": "Discard pile",
    },
    "es": {
        "turn": "Turno {} · {}: {}",
        "phase0": "juega",
        "phase1": "se descarta",
        "phase2": "roba",
        "moved": "ya ha avanzado",
        "lost": "ha perdido un objeto y no roba más",
        "over": "Fin de la partida · {} turnos",
        "ending1": "Gana {}: ha llegado a la Plaza de Toros.",
        "ending2": "Gana {}: no queda nadie más.",
        "ending3": "Gana {}: no se salva nadie, y nadie conservaba más.",
        "shared": "{} comparte la victoria: no se salva nadie, y nadie conservaba más.",
        "conflict": "En esta mesa: el mazo con más conflicto (2 Kilikis, 1 Desde la barrera)",
        "last_stretch": "En esta mesa: solo el último tramo; casi todo está ya descartado",
        "yours": "Te toca: {}",
        "theirs": "Le toca a {}: {}",
        "stage0": "jugar cartas, o listo",
        "stage1": "descartar cartas, o listo",
        "full": "descartar una carta para hacer sitio a la que hay que robar",
        "stage2": "robar otra carta, o parar",
        "stage3": "responder con Otra vez será, o nada",
        "stage4": "defenderse con una carta o con el objeto especial, o nada",
        "stage5": "perder un objeto, o dar el objeto especial",
        "last": "retroceder un tramo, o perder la Ropa básica y quedar fuera",
        "stage6": "escapar de los Cabestros, o nada y quedar fuera",
        "attack": "{card}, de {sender} contra {struck}",
        "drawn": "{card}, que ha robado {sender}, va a por {struck}",
        "sent": "{card}, que manda {sender}, va a por {struck}",
        "next": "luego {}",
        "closing": "Los Cabestros barren {}; en peligro: {}",
        "still": "por escapar: {}",
        "closed": "cerrada",
        "runner": "corredor",
        "place": "lugar",
        "objects": "objetos",
        "special": "especial",
        "cards": "cartas",
        "status1": "perderá turno",
        "status2": "tras la barrera",
        "status3": "fuera",
        "you": " (tú)",
        "worn": "Tus objetos",
        "hand": "Tu mano",
        "empty": "ninguna carta",
        "hand_of": "Mano de {}",
        "known": "Te han quitado",
        "known_by": "A {} le han quitado",
        "has_it": "(la tiene {})",
        "or": " o ",
        "pile": "Cartas por robar: {}",
        "bulls": "Entre ellas, toros ({})",
        "falls": "Entre ellas, caídas ({})",
        "unseen": "Entre ellas o en otras manos",
        "in_pile": "Las demás",
        "first": "Las próximas",
        "discards": "Descartes",
    },
}

# By event (state.py): {seat}, {card}, {other}, {place} a location, {object} one of the five.
STORY = {
    "en": {
        "turn": "{seat}'s turn.",
        "behind": "{seat} goes behind the barrier and misses a turn.",
        "back": "{seat} comes out from behind the barrier.",
        "advances": "{seat} plays {card} and runs on to {place}.",
        "swaps": "{seat} plays {card} and changes places with {other}.",
        "lays": "{seat} lays {card}.",
        "lays_anew": "{seat} lays {card} and discards {old}.",
        "recovers": "{seat} plays {card} and gets {object} back.",
        "attacks": "{seat} plays {card} on {other}.",
        "answers": "{seat} answers with {card}: nothing happens.",
        "warned": "{seat} will miss the next turn.",
        "loses_card": "{seat} loses a card from the hand: {card}.",
        "robbed": "{other} takes a card from {seat}.",
        "robbed_of": "{other} takes a card from {seat}: {card}.",
        "discards": "{seat} discards {card}.",
        "draws": "{seat} draws a card.",
        "draws_card": "{seat} draws a card: {card}.",
        "shows_bull": "A bull! {seat} draws {card}.",
        "shows_fall": "A fall! {seat} draws {card}.",
        "repels": "{seat} escapes with {card}.",
        "sends": "{seat} plays {card} and sends the bull to {other}.",
        "sends_back": "{seat} plays {card} and sends the bull back to {other}.",
        "loses": "{seat} loses {object}.",
        "pays": "{seat} gives {card} instead of an object.",
        "retreats": "{seat} goes back to {place}.",
        "out": "{seat} is out of the run.",
        "closes": "The pile is used up: the Cabestros close {place}.",
        "swept": "{seat} is swept away.",
        "nothing": "{seat} does nothing.",
        "done_playing": "{seat} has finished playing.",
        "done_discarding": "{seat} has finished discarding.",
        "stops": "{seat} stops drawing.",
    },
    "es": {
        "turn": "Le toca a {seat}.",
        "behind": "{seat} se queda tras la barrera y pierde el turno.",
        "back": "{seat} sale de la barrera.",
        "advances": "{seat} juega {card} y corre hasta {place}.",
        "swaps": "{seat} juega {card} y se cambia el sitio con {other}.",
        "lays": "{seat} baja {card}.",
        "lays_anew": "{seat} baja {card} y se descarta de {old}.",
        "recovers": "{seat} juega {card} y recupera {object}.",
        "attacks": "{seat} juega {card} contra {other}.",
        "answers": "{seat} responde con {card} y se libra.",
        "warned": "{seat} perderá el próximo turno.",
        "loses_card": "{seat} pierde una carta de la mano: {card}.",
        "robbed": "{other} le quita una carta a {seat}.",
        "robbed_of": "{other} le quita una carta a {seat}: {card}.",
        "discards": "{seat} se descarta de {card}.",
        "draws": "{seat} roba una carta.",
        "draws_card": "{seat} roba una carta: {card}.",
        "shows_bull": "¡Toro! A {seat} le sale {card}.",
        "shows_fall": "¡Caída! A {seat} le sale {card}.",
        "repels": "{seat} se libra con {card}.",
        "sends": "{seat} juega {card} y le manda el toro a {other}.",
        "sends_back": "{seat} juega {card} y le devuelve el toro a {other}.",
        "loses": "{seat} pierde {object}.",
        "pays": "{seat} da {card} en vez de un objeto.",
        "retreats": "{seat} retrocede hasta {place}.",
        "out": "{seat} queda fuera del encierro.",
        "closes": "Se acaba el mazo: los Cabestros cierran {place}.",
        "swept": "A {seat} se lo llevan los Cabestros.",
        "nothing": "{seat} no hace nada.",
        "done_playing": "{seat} ha terminado de jugar.",
        "done_discarding": "{seat} ha terminado de descartarse.",
        "stops": "{seat} se planta.",
    },
}

_HELP = {
    "en": """\
Run before the bulls from the Cuesta de Santo Domingo to the Plaza de Toros,
seven locations. The first at the Plaza wins, and so does the last runner left.
You wear five objects, Ropa básica (white clothes) under the rest; without it
you are out.

Your turn.
  Play any number of cards, or none. You may advance once a turn. A special
  object is laid before you, one at a time: a new one replaces the old one.
  Discard what you like. With five cards in hand you must.
  Draw one card, and more if you dare, up to five in hand. Whoever loses an
  object while drawing, or pays with the special one, draws no more this turn.

Bulls and falls are in the pile. Who draws one shows it, and it hits everybody
on the same stretch, clockwise from the drawer. If hit, play one defence that
fits, use your special object, or lose an object; any special object may be
given instead. With Ropa básica alone you go back a location if the one behind
you is open, and lose nothing. Attacks on objects are paid for in the same way.

Desde la barrera lies before a runner until the next turn comes, which is
skipped. From then until the turn after it the runner is behind the barrier:
nothing reaches there but El Pillo, who may be answered with Otra vez será, and
the Cabestros, who cannot be fled from.

The Cabestros close one more location whenever the pile is used up. Whoever
stands there may still advance with cards in hand, or is out. The discards make
the new pile. If all are swept away together, the most objects win, then the
most cards in hand; equals share.

With deck=last_stretch all begin at the Callejón with three objects and two
cards; the next time the pile is used up is the last.

The cards (deck=conflict has 2 Kilikis and 1 Desde la barrera):
{cards}

Choices with one answer are made for you. Nobody is told whether another had a
choice.

Type a move by its number in the list or by its name; +2 is the second runner
after you, clockwise, as shown beside the runners: Avanzar tramo, Avanzar tramo
+ Zapatillas, Kilikis +2, Recorte, Toro volteado +1, lay Capote, Capote, discard
Recorte, done, draw, stop, nothing, lose an object, give the special object, go
back.
Capote alone is its use against a bull.""",
    "es": """\
Corre delante de los toros desde la Cuesta de Santo Domingo hasta la Plaza de
Toros: siete lugares. Gana quien llega antes a la Plaza, o quien se queda solo
en el encierro. Llevas cinco objetos, con la Ropa básica debajo de todo: sin
ella, estás fuera.

Tu turno.
  Juega las cartas que quieras, o ninguna. Solo se avanza una vez por turno. Los
  objetos especiales se bajan a la mesa, de uno en uno: el nuevo quita al otro.
  Descártate de lo que no quieras. Con cinco cartas, al menos de una.
  Roba una carta, y más si te atreves, hasta tener cinco. Quien al robar pierde
  un objeto, o da el especial, ya no roba más ese turno.

En el mazo hay toros y caídas. Quien roba uno lo enseña, y va a por todos los de
su tramo, en el sentido del reloj y empezando por él. Si te toca, juega una
defensa adecuada, usa tu objeto especial o pierde un objeto; en su lugar vale
dar cualquier objeto especial. Si solo te queda la Ropa básica, retrocedes un
lugar sin perderla, mientras el de atrás siga abierto. Los ataques a tus objetos
se pagan igual.

Desde la barrera se queda delante de un corredor hasta que le toca, y pierde
ese turno. Desde entonces y hasta el siguiente está tras la barrera: allí solo
llegan El Pillo, que se anula con Otra vez será, y los Cabestros, de los que
no se puede escapar.

Los Cabestros cierran un lugar más cada vez que se acaba el mazo. Quien esté en
él puede avanzar todavía con cartas de su mano; si no, queda fuera. Con los
descartes se hace otro mazo. Si caen todos a la vez, gana quien tenga más
objetos, luego más cartas en la mano; si no, se comparte.

Con deck=last_stretch se empieza en el Callejón con tres objetos y dos cartas;
la próxima vez que se acabe el mazo es la última.

Las cartas (con deck=conflict hay 2 Kilikis y 1 Desde la barrera):
{cards}

Si no hay elección, se juega por ti. Nadie sabe si otro ha podido elegir.

Escribe la jugada por su número en la lista o por su nombre; +2 es el segundo
corredor después de ti, en el sentido del reloj, como figura junto a los
corredores: Avanzar tramo, Avanzar tramo + Zapatillas, Kilikis +2, Recorte,
Toro volteado +1, bajar Capote, Capote, descartar Recorte, listo, robar, parar,
nada, perder un objeto, dar el objeto especial, retroceder.
Capote a secas es usarlo contra un toro.""",
}


def help_text(language: str) -> str:
    """Return the rules in short, all cards with their effects, and how to type moves."""
    check_language(language)
    groups: dict[str, list[str]] = {}
    for card, copies in enumerate(COPIES[STANDARD]):
        name = card_name(card, language)
        groups.setdefault(effect(card, language), []).append(name if copies == 1 else f"{copies} {name}")
    lines = [
        line
        for what, names in groups.items()
        for line in textwrap.wrap(f"{', '.join(names)}: {what}", COLUMNS, initial_indent="  ", subsequent_indent="    ")
    ]
    return _HELP[language].format(cards="\n".join(lines))
