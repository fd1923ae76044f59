"""The words of *Bandido Alcatraz* in English and Spanish: of moves, the table and the story.

A card is written by its two halves with the sides of their tunnels, `[WN|E]`. A half without tunnels shows its picture,
`[W|▲]`, and a wave stands in a flooded one, `[N|S≈]`.
"""

from collections.abc import Sequence

from sobremesa.envs.bandido_alcatraz.cards import CARDS, EXIT, PICTURE, PLAIN, RAINCOAT, ROPE

COLUMNS = 78
HARD_SPACE = "\N{NO-BREAK SPACE}"  # where lines are not broken

# North, east, south, west: the names, what else people type for them, and the letters on cards.
SIDE_WORDS = {"en": ("north", "east", "south", "west"), "es": ("norte", "este", "sur", "oeste")}
OTHER_SIDE_WORDS = {
    "en": (("up",), ("right",), ("down",), ("left",)),
    "es": (("arriba",), ("derecha",), ("abajo",), ("izquierda",)),
}
SIDE_LETTERS = {"en": "NESW", "es": "NESO"}

# What people type before a number; the first word of each is the name.
END_WORDS = {
    "en": ("end", "tunnel", "open end", "opening", "dig", "dig at", "dig at end"),
    "es": ("túnel", "boca", "túnel abierto", "excavar", "excavar en", "excavar en el túnel", "cavar", "cavar en"),
}
WATER_WORDS = {
    "en": ("water", "flood", "cover", "cover water"),
    "es": ("agua", "cubrir", "cubrir agua", "cubrir el agua", "tapar", "tapar agua"),
}
GATHER_WORDS = {
    "en": ("gather", "give", "gather card", "give card", "hand in"),
    "es": ("reunir", "dar", "reunir carta", "dar carta", "doy", "aportar", "reúno"),
}
LAY_WORDS = {"en": ("lay", "play", "card"), "es": ("poner", "jugar", "carta")}  # may stand before `1a north`

# What may be said before playing, in the order of the signals in state.py; the first of each is the name.
SIGNALS = {
    "en": (
        ("silence", "say nothing", "nothing", "be silent", "quiet"),
        ("I can close a tunnel", "I can close", "close a tunnel", "close"),
        ("I can join two tunnels", "I can join two", "I can join", "join two tunnels", "join two", "join"),
        ("I can cover water", "I can cover", "cover water", "cover"),
        ("I will give a raincoat", "give a raincoat", "raincoat"),
        ("I will give a rope", "give a rope", "rope"),
        ("I have nothing good", "nothing good"),
    ),
    "es": (
        ("silencio", "no digo nada", "nada", "callar", "me callo"),
        ("puedo cerrar un túnel", "puedo cerrar", "cerrar un túnel", "cerrar"),
        ("puedo unir dos túneles", "puedo unir dos", "puedo unir", "unir dos túneles", "unir dos", "unir"),
        ("puedo cubrir agua", "puedo cubrir", "cubrir agua", "cubrir"),
        ("doy un impermeable", "dar un impermeable", "impermeable"),
        ("doy una cuerda", "dar una cuerda", "cuerda"),
        ("no tengo nada bueno", "nada bueno"),
    ),
}
SIGNAL_WORDS = {language: tuple(words[0] for words in signals) for language, signals in SIGNALS.items()}

NO_SUCH_MOVE = {
    "en": "{!r} is no move; write one such as 'end 3', 'water 1', 'gather 2' or '1a north'",
    "es": "{!r} no es una jugada; escribe una como 'túnel 3', 'agua 1', 'reunir 2' o '1a norte'",
}
NO_SIDE = {
    "en": "{0!r} to which side? Add where the other half comes to lie: '{0} north'",
    "es": "¿{0!r} hacia qué lado? Añade dónde queda la otra mitad: '{0} norte'",
}

# Marks of the map.
TILE_MARK, WATER_MARK, EXIT_MARK = "■", "≈", "X"
PICTURE_MARKS = {RAINCOAT: "▲", ROPE: "§", EXIT: EXIT_MARK}
MARK_WORDS = {
    "en": {TILE_MARK: "start tile", "▲": "raincoat", "§": "rope", WATER_MARK: "water", EXIT_MARK: "EXIT"},
    "es": {TILE_MARK: "loseta inicial", "▲": "impermeable", "§": "cuerda", WATER_MARK: "agua", EXIT_MARK: "EXIT"},
}

# Numbered words belong to the value of a field: stage1 to WHERE, band0 to seven open tunnels.
WORDS = {
    "en": {
        "turn": "Turn {} · {} to play",
        "over": "Game over · {} turns",
        "yours": "Your choice: {}",
        "theirs": "{} to choose: {}",
        "stage0": "say one of seven things, true or not",
        "stage1": "where to lay a card",
        "or_gather": "where to lay a card, or a card to gather",
        "stage2": "which card to lay at {}, and how",
        "you": " (you)",
        "table": "At this table: {}",
        "difficulty0": "the easy side of the tile",
        "solo_hand1": "a hand of six",
        "early_stop1": "the game stops once it cannot be won",
        "signals1": "one says something before playing",
        "goal": "Open ends {} · water {} · raincoats {}/3 · ropes {}/2 · {}",
        "exit0": "EXIT not laid",
        "exit1": "EXIT laid",
        "numbers": "numbers: open ends",
        "pile": "Cards left to draw: {}",
        "hands": "Cards in hand: {}",
        "aside_own": "Set aside by you",
        "aside_by": "Set aside by {}: {}, face down",
        "aside_open": "Set aside by {}",
        "said": "Said last: {}",
        "hand": "Your hand",
        "hand_of": "Hand of {}",
        "empty": "no cards",
        "fit": "Where they fit",
        "nowhere": "nowhere",
        "like": "as {}",
        "ways": "Ways to lay a card at {} (numbers: the ends that it joins):",
        "ways_water": "Ways to cover {} (numbers: the ends that it joins; double lines: tunnels there already):",
        "under": "You put under the pile",
        "under_by": "{} put under the pile",
        "unseen": "Cards not seen, in the pile or in other hands",
        "unseen_alone": "Cards not seen",
        "in_pile": "Cards in the pile",
        "first": "Next to be drawn",
        "by_tunnels": "with 1, 2, 3 or 4 tunnels: {}",
        "raincoats": "{} ▲",
        "ropes": "{} §",
        "floods": "{} ≈",
        "card": "1 card",
        "cards": "{} cards",
        "end": "end {}",
        "ends": "ends {}",
        "water": "water {}",
        "waters": "water {}",
        "and": " and ",
    },
    "es": {
        "turn": "Turno {} · le toca a {}",
        "over": "Fin de la partida · {} turnos",
        "yours": "Tú decides: {}",
        "theirs": "{} decide: {}",
        "stage0": "decir una de siete cosas, sea verdad o no",
        "stage1": "dónde poner una carta",
        "or_gather": "dónde poner una carta, o qué carta reunir",
        "stage2": "qué carta poner en {}, y cómo",
        "you": " (tú)",
        "table": "En esta mesa: {}",
        "difficulty0": "el lado fácil de la loseta",
        "solo_hand1": "una mano de seis cartas",
        "early_stop1": "la partida acaba en cuanto no se puede ganar",
        "signals1": "se dice algo antes de jugar",
        "goal": "Túneles abiertos {} · agua {} · impermeables {}/3 · cuerdas {}/2 · {}",
        "exit0": "falta la EXIT",
        "exit1": "EXIT puesta",
        "numbers": "números: túneles abiertos",
        "pile": "Cartas por robar: {}",
        "hands": "Cartas en la mano: {}",
        "aside_own": "Has apartado",
        "aside_by": "{} ha apartado {}, boca abajo",
        "aside_open": "{} ha apartado",
        "said": "Lo último dicho: {}",
        "hand": "Tu mano",
        "hand_of": "Mano de {}",
        "empty": "ninguna carta",
        "fit": "Dónde caben",
        "nowhere": "en ningún sitio",
        "like": "como la {}",
        "ways": "Maneras de poner una carta en {} (números: los túneles a los que se une):",
        "ways_water": "Maneras de cubrir {} (números: los túneles a los que se une; líneas dobles: los que ya están):",
        "under": "Has puesto bajo el mazo",
        "under_by": "{} ha puesto bajo el mazo",
        "unseen": "Cartas sin ver, en el mazo o en otras manos",
        "unseen_alone": "Cartas sin ver",
        "in_pile": "Cartas del mazo",
        "first": "Las próximas",
        "by_tunnels": "con 1, 2, 3 o 4 túneles: {}",
        "raincoats": "{} ▲",
        "ropes": "{} §",
        "floods": "{} ≈",
        "card": "1 carta",
        "cards": "{} cartas",
        "end": "el túnel {}",
        "ends": "los túneles {}",
        "water": "el agua {}",
        "waters": "las aguas {}",
        "and": " y ",
    },
}

# What is told: {seat} plays {card} at {ends} or on {water}; a sentence on digging may go on with ends that lead on.
STORY = {
    "en": {
        "turn": "{seat}'s turn.",
        "chooses_end": "{seat} chooses {ends}.",
        "chooses_water": "{seat} chooses {water}.",
        "lays": "{seat} lays {card} at {ends}",
        "closes": "{seat} closes {ends} with {card}",
        "covers": "{seat} covers {water} with {card}",
        "joins": "{seat} joins {ends} with {card}",
        "covers_joining": "{seat} covers {water} and joins {ends} with {card}",
        "leads_on": ": {ends} leads on",
        "lead_on": ": {ends} lead on",
        "lays_exit": "{seat} lays EXIT at {ends}: there is the way out!",
        "floods": "Water rushes into half {half} of the card: it must be covered.",
        "gathers1": "{seat} gives a raincoat, {card}: {count} of 3.",
        "gathers2": "{seat} gives a rope, {card}: {count} of 2.",
        "draws": "{seat} draws a card.",
        "draws_card": "{seat} draws {card}.",
        "exchanges": "{seat} has nothing to play, puts the hand under the pile and draws {cards}{named}.",
        "exchanges_on": "{seat} has nothing to play and changes the whole hand {times} times{named}.",
        "takes_all": "{seat} has nothing to play, takes the rest of the pile, {cards}{named}, and sets {aside} aside.",
        "passes": "{seat} has nothing to play and passes.",
        "signals": "{seat} says “{said}”.",
        "silent": "{seat} says nothing.",
        "won": "Bandido has escaped from Alcatraz!",
        "ending1": "All tunnels are closed, and Bandido is still inside: {reasons}.",
        "ending2": "Nobody can play any more, and Bandido is still inside: {reasons}.",
        "ending3": "Bandido cannot escape any more: {reasons}.",
        "no_exit": "EXIT was not laid",
        "open": "1 tunnel is open",
        "open_more": "{count} tunnels are open",
        "wet": "there is water in sight",
        "raincoat": "1 raincoat is missing",
        "raincoats": "{count} raincoats are missing",
        "rope": "1 rope is missing",
        "ropes": "{count} ropes are missing",
        "stuck": "there is no room to go on from {ends}",
        "blocked": "nothing can cover {water} any more",
        "few_raincoats": "too few raincoats are left",
        "few_ropes": "too few ropes are left",
        "needed": "a card that was needed lies aside",
        "band0": "Solitaire, 0 of 3 ({open}): the warders sleep soundly.",
        "band1": "Solitaire, 1 of 3 ({open}): much dust, no daylight.",
        "band2": "Solitaire, 2 of 3 ({open}): one can hear the sea already.",
        "band3": "Solitaire, 3 of 3 ({open}): the way out is dug.",
    },
    "es": {
        "turn": "Le toca a {seat}.",
        "chooses_end": "{seat} elige {ends}.",
        "chooses_water": "{seat} elige {water}.",
        "lays": "{seat} pone {card} en {ends}",
        "closes": "{seat} cierra {ends} con {card}",
        "covers": "{seat} cubre {water} con {card}",
        "joins": "{seat} une {ends} con {card}",
        "covers_joining": "{seat} cubre {water} y une {ends} con {card}",
        "leads_on": ": sigue {ends}",
        "lead_on": ": siguen {ends}",
        "lays_exit": "{seat} pone la EXIT en {ends}: ¡ahí está la salida!",
        "floods": "El agua inunda la mitad {half} de la carta: hay que cubrirla.",
        "gathers1": "{seat} aporta un impermeable, {card}: {count} de 3.",
        "gathers2": "{seat} aporta una cuerda, {card}: {count} de 2.",
        "draws": "{seat} roba una carta.",
        "draws_card": "{seat} roba {card}.",
        "exchanges": "{seat} no puede jugar nada: deja la mano bajo el mazo y roba {cards}{named}.",
        "exchanges_on": "{seat} no puede jugar nada y cambia toda la mano {times} veces{named}.",
        "takes_all": "{seat} no puede jugar nada: toma lo que queda del mazo, {cards}{named}, y aparta {aside}.",
        "passes": "{seat} no puede jugar nada y pasa.",
        "signals": "{seat} dice «{said}».",
        "silent": "{seat} no dice nada.",
        "won": "¡Bandido se ha fugado de Alcatraz!",
        "ending1": "Todos los túneles están cerrados y Bandido sigue dentro: {reasons}.",
        "ending2": "Nadie puede jugar más y Bandido sigue dentro: {reasons}.",
        "ending3": "Bandido ya no puede fugarse: {reasons}.",
        "no_exit": "no se puso la EXIT",
        "open": "queda 1 túnel abierto",
        "open_more": "quedan {count} túneles abiertos",
        "wet": "hay agua a la vista",
        "raincoat": "falta 1 impermeable",
        "raincoats": "faltan {count} impermeables",
        "rope": "falta 1 cuerda",
        "ropes": "faltan {count} cuerdas",
        "stuck": "no hay sitio para seguir desde {ends}",
        "blocked": "nada puede cubrir ya {water}",
        "few_raincoats": "quedan muy pocos impermeables",
        "few_ropes": "quedan muy pocas cuerdas",
        "needed": "se apartó una carta que hacía falta",
        "band0": "Solitario, 0 de 3 ({open}): los guardias duermen a pierna suelta.",
        "band1": "Solitario, 1 de 3 ({open}): mucho polvo y ninguna luz.",
        "band2": "Solitario, 2 de 3 ({open}): ya se oye el mar.",
        "band3": "Solitario, 3 de 3 ({open}): el camino está abierto.",
    },
}


def card_text(kind: int, language: str) -> str:
    """Return a card in short: the tunnels of half a and half b, its picture, its water: `[W|NE]`, `[WN|▲]`."""
    card = CARDS[kind]
    if card.picture == PLAIN:
        blank = ""
    else:
        blank = "EXIT" if card.picture == EXIT else PICTURE_MARKS[card.picture]
    halves = [
        "".join(SIDE_LETTERS[language]["NESW".index(side)] for side in sides) + WATER_MARK * (card.flooded == half)
        for half, sides in enumerate((card.a, card.b))
    ]
    return f"[{halves[0]}|{halves[1] or blank}]"


def card_words(kind: int, language: str) -> str:
    """Return a card in short with the word for its picture: `[WN|▲] (raincoat)`."""
    text = card_text(kind, language)
    mark = PICTURE_MARKS.get(int(PICTURE[kind]))
    return text if mark in (None, EXIT_MARK) else f"{text} ({MARK_WORDS[language][mark]})"


def in_a_row(items: Sequence[str], language: str) -> str:
    """Return items with commas, and "and" before the last."""
    return WORDS[language]["and"].join([part for part in (", ".join(items[:-1]), items[-1]) if part])


def places(key: str, numbers: Sequence[int], language: str) -> str:
    """Return "end" or "water" with its numbers, which count from 1 for people: `ends 1, 3 and 4`."""
    listed = in_a_row([str(number + 1) for number in numbers], language)
    return WORDS[language][key + "s" * (len(numbers) > 1)].format(listed)


def counted(count: int, language: str) -> str:
    """Return so many cards in words: `1 card`, `3 cards`."""
    return WORDS[language]["card" if count == 1 else "cards"].format(count)
