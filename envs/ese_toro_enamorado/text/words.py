"""Words of *Ese Toro enamorado* in English and Spanish; names of pieces and places are in board.py."""

# What people type beside the names of tiles and places, and other words for the same; spaces do not count.
MOUNTAIN_WORD = {"en": "mountain", "es": "monte"}
GO_WORD = {"en": "go", "es": "ir"}
TILE_WORD = {"en": "tile", "es": "ficha"}  # an unknown tile, laid face down
STAY_WORD = {"en": "stay", "es": "quedarse"}
OTHER_WORDS = {
    "en": {"choose": "mountain", "go to": "go", "move": "go", "move to": "go", "lily pad": "lily"},
    "es": {"montaña": "monte", "ir a": "ir", "voy a": "ir", "mover": "ir", "mover a": "ir"},
}
OTHER_STAY_WORDS = {"en": ("wait",), "es": ("quedar", "me quedo", "quieto")}

NO_SUCH_MOVE = {
    "en": "{!r} is no move; write one such as 'mountain M2', 'fence O3', 'lily W5', 'go S3' or 'stay'",
    "es": "{!r} no es una jugada; escribe una como 'monte M2', 'cerca O3', 'nenúfar W5', 'ir S3' o 'quedarse'",
}

STORY = {
    "en": {
        "choose": "{seat} has to take {place}",
        "go": "{seat} has to go to {place}",
        "stay": "{seat} has to stay",
        "bounce": "{seat} runs into a fence on {place}",
        "find": "{seat} finds {tile} on {place}",
        "meet1": "{seat} meets the moon: a marker of the {phase} moon",
        "meet0": "{seat} meets the moon, but no marker of the {phase} moon is left over",
        "round": "round {number} begins, {phase} moon",
        "wins1": "{seats} wins",
        "wins2": "{seats} win together",
        "and": " and ",
    },
    "es": {
        "choose": "{seat} tiene que quedarse con {place}",
        "go": "{seat} tiene que ir a {place}",
        "stay": "{seat} tiene que quedarse",
        "bounce": "{seat} choca con una cerca en {place}",
        "find": "{seat} encuentra {tile} en {place}",
        "meet1": "{seat} se encuentra con la luna: un marcador de luna {phase}",
        "meet0": "{seat} se encuentra con la luna, pero no sobra ningún marcador de luna {phase}",
        "round": "empieza la ronda {number}, luna {phase}",
        "wins1": "gana {seats}",
        "wins2": "ganan juntos {seats}",
        "and": " y ",
    },
}

WHY = {  # a move cannot be played
    "en": {
        "asked": "now you are to {}",
        "taken": "another bull lives there",
        "not_held": "you hold no {}",
        "no_place": "this board has no such crossing",
        "covered": "a tile lies there already",
        "shore": "no tiles on shores at this table",
        "twin": "the two crossings next to a bull's mountain may not both hold tiles",
        "called": "you must go to a poppy that is one path away: {}",
        "here": "you are on {} already",
        "fence": "a fence bars the way",
        "no_path": "no path leads from {} to {}",
    },
    "es": {
        "asked": "ahora te toca {}",
        "taken": "allí vive otro toro",
        "not_held": "no tienes ficha de {}",
        "no_place": "este tablero no tiene ese cruce",
        "covered": "ya hay una ficha",
        "shore": "en esta mesa no se ponen fichas en las orillas",
        "twin": "los dos cruces vecinos al monte de un toro no pueden tener ficha a la vez",
        "called": "tienes que ir a una amapola que está a un camino: {}",
        "here": "ya estás en {}",
        "fence": "una cerca cierra el paso",
        "no_path": "no hay camino de {} a {}",
    },
}

FOUND_TILES = {  # by kind; fences are run into, and the lily is never found
    "en": ("", "a poppy", "a rosemary"),
    "es": ("", "una amapola", "un romero"),
}

TILE_PLURALS = {  # of several tiles, by kind
    "en": ("fences", "poppies", "rosemaries", "lilies"),
    "es": ("cercas", "amapolas", "romeros", "nenúfares"),
}

# Numbered words belong to the value of a field: stage2 to stage NIGHT, rosemary1 to rosemary ANYWHERE.
WORDS = {
    "en": {
        "choosing": "The mountains are being chosen",
        "round": "Round {} of {} · {} moon · {} · the moon at W{}",
        "day": "day",
        "night": "night, vuelta {} of {}",
        "over": "game over",
        "you": " (you)",
        "turn": "{} to play, in the order {}: {}",
        "stage0": "choose a mountain",
        "stage1": "lay a tile face down",
        "stage2": "walk along a path or stay",
        "stage3": "walk on after the rosemary or stay",
        "winner": "The winner is {}",
        "winners": "The winners are {}",
        "legend": "F fence, P poppy, R rosemary, L lily (lower case or ?: face down) · ☾ moon",
        "seat": "seat",
        "bull": "bull",
        "home": "mountain",
        "held": "in hand",
        "met": "has met the moon",
        "laid": "{} {} by {}",
        "unknown": "unknown",
        "in_sight": "Tiles in sight",
        "face_down": "Tiles face down",
        "hand": "Your tiles to lay",
        "hands": "Tiles to lay",
        "gone": "Discarded this round",
        "unseen": "Not seen by you (face down, in other hands or unused)",
        "hidden": "Not seen by all (face down, in hands or unused)",
        "unused": "Unused this round",
        "variants": "At this table",
        "round_end1": "a round ends before the moon's step",
        "round_end2": "a night lasts until the moon has gone round the lake",
        "rosemary1": "rosemary takes the bull to any crossing",
        "rosemary_chain0": "a second rosemary gives no further move",
        "fence_bounce1": "a bull that runs into a hidden fence may try another way",
        "shore_tiles0": "no tiles on shores",
        "duplicates1": "markers never run out",
        "duplicates2": "one marker of each phase at most",
    },
    "es": {
        "choosing": "Se eligen los montes",
        "round": "Ronda {} de {} · luna {} · {} · la luna en W{}",
        "day": "día",
        "night": "noche, vuelta {} de {}",
        "over": "fin de la partida",
        "you": " (tú)",
        "turn": "Turno de {}, en el orden {}: {}",
        "stage0": "elegir un monte",
        "stage1": "colocar una ficha boca abajo",
        "stage2": "ir por un camino o quedarse",
        "stage3": "seguir camino tras el romero o quedarse",
        "winner": "Gana {}",
        "winners": "Ganan {}",
        "legend": "C cerca, A amapola, R romero, N nenúfar (minúscula o ?: boca abajo) · ☾ luna",
        "seat": "asiento",
        "bull": "toro",
        "home": "monte",
        "held": "en mano",
        "met": "vio a la luna",
        "laid": "{} {} de {}",
        "unknown": "oculta",
        "in_sight": "Fichas a la vista",
        "face_down": "Fichas boca abajo",
        "hand": "Tus fichas por colocar",
        "hands": "Fichas por colocar",
        "gone": "Descartadas esta ronda",
        "unseen": "No has visto (boca abajo, en otras manos o sin repartir)",
        "hidden": "No las han visto todos (boca abajo, en las manos o sin repartir)",
        "unused": "Sin repartir esta ronda",
        "variants": "En esta mesa",
        "round_end1": "la ronda acaba antes del paso de la luna",
        "round_end2": "la noche dura hasta que la luna da la vuelta al lago",
        "rosemary1": "el romero lleva a cualquier cruce",
        "rosemary_chain0": "el segundo romero no da otro paso",
        "fence_bounce1": "quien topa con una cerca oculta puede probar otro camino",
        "shore_tiles0": "no se ponen fichas en las orillas",
        "duplicates1": "los marcadores no se agotan",
        "duplicates2": "un marcador de cada fase como mucho",
    },
}

HELP = {
    "en": """\
You are a bull in love with the moon. The first to hold a marker of all four
phases wins: waxing, full, waning, new. Each round has one, in that order.

Day. There are eight tiles: 3 fences, 2 poppies, 2 rosemaries, 1 lily. You get
two and lay them face down, in turn, one at a time: the lily on the water by a
shore (W), the others on crossings without a tile (O, I, S). The two crossings
next to a bull's mountain (M) may not both hold tiles. Then all are turned up.

Night. In turn, each bull walks one path or stays. When all have had their
turn, a vuelta, the moon moves to the next water: W0, W1, ... W7, W0. A bull on
S3 while the moon is at W3 meets it and gets a marker, once a round. The round
ends with the vuelta of the first meeting, after the moon's step. The bulls go
home, and the next round, of the next phase, begins one shore further on.
  Fence: no bull may enter.
  Poppy: a bull one path away must walk onto it. The poppy is then discarded.
  Rosemary: the bull that walks onto it eats it and may walk once more.
  Lily: nobody can meet the moon on its water.
  Full moon: fences bar nobody.
  New moon: tiles stay face down until a bull walks onto them. Poppies do
  nothing, and a bull that runs into a fence stays where it was.

If several complete the four phases in one round, most markers wins: that is
what a second one of a phase is for. Turns without a choice are played for you.

Type a move by its name: mountain M2, fence O3, poppy S1, rosemary I4, lily W5,
go S3, stay. S3 alone is go S3.""",
    "es": """\
Eres un toro enamorado de la luna. Gana quien antes consigue un marcador de cada
fase: creciente, llena, menguante y nueva. Cada ronda tiene una, en ese orden.

Día. Hay ocho fichas: 3 cercas, 2 amapolas, 2 romeros y 1 nenúfar. Recibes dos y
las colocas boca abajo, por turno y de una en una: el nenúfar, en el agua junto
a una orilla (W); las demás, en cruces sin ficha (O, I, S). Los dos cruces
vecinos al monte (M) de un toro no pueden tener ficha a la vez. Luego se
descubren todas.

Noche. Por turno, cada toro recorre un camino o se queda. Cuando todos han
jugado, una vuelta, la luna pasa al agua siguiente: W0, W1, ... W7, W0. Un toro
en S3 con la luna en W3 la encuentra y gana un marcador, uno por ronda. La ronda
acaba con la vuelta del primer encuentro, tras el paso de la luna. Los toros
vuelven a casa y la ronda siguiente, con otra fase, empieza una orilla más allá.
  Cerca: ningún toro puede entrar.
  Amapola: el toro que está a un camino tiene que ir a ella. Luego se descarta.
  Romero: el toro que llega se lo come y puede recorrer otro camino.
  Nenúfar: en su agua nadie encuentra a la luna.
  Luna llena: las cercas no cierran el paso.
  Luna nueva: las fichas siguen boca abajo hasta que llega un toro. Las amapolas
  no hacen nada, y el toro que topa con una cerca se queda donde estaba.

Si varios completan las cuatro fases en la misma ronda, gana quien tenga más
marcadores: para eso sirve repetir fase. Si no hay elección, se juega por ti.

Escribe la jugada por su nombre: monte M2, cerca O3, amapola S1, romero I4,
nenúfar W5, ir S3, quedarse. S3 a secas es ir S3.""",
}
