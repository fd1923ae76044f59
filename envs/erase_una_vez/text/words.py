"""The words of *Érase una vez* in English and Spanish: of table.py and the help; story.py has its own."""

from sobremesa.envs.core.game import check_language
from sobremesa.envs.erase_una_vez.tables import NUM_ELEMENTS, NUM_THINGS
from sobremesa.envs.erase_una_vez.text.names import by_group

# Options of the table that are told, by field and value: strictness0 is LENIENT.
OPTION_WORDS = {
    "en": {
        "judge1": "doubts are put to the vote",
        "judge2": "doubts are put to the vote, and votes against the judge's opinion are fined",
        "strictness0": "an ending needs half of what it asks for, and nothing in its way",
        "strictness1": "an ending needs all that it asks for, and nothing in its way",
        "strictness2": "an ending needs all that it asks for, in the last 12 sentences, and nothing in its way",
        "between_cards1": "one sentence without a card between two cards",
        "between_cards2": "two sentences without a card between two cards",
        "rejected1": "refused endings are kept",
        "protest_card1": "the card of an undone sentence stays on the table",
        "chain1": "who breaks in may be interrupted",
        "hook1": "narrators choose what a sentence hangs on",
        "special_tells1": "a card that interrupts is told of",
        "pass_draw1": "who passes draws first and discards then",
        "reshuffle0": "discards make no new deck",
        "must_end1": "without cards one may not pass",
        "protest_penalty1": "who protests in vain draws a card",
        "auto_protest1": "what makes no sense is undone by itself",
        "change_ending1": "who passes may change an ending, and draws two then",
    },
    "es": {
        "judge1": "las dudas se votan",
        "judge2": "las dudas se votan, y votar contra la opinión del juez cuesta una multa",
        "strictness0": "a un final le basta la mitad de lo que pide, y nada en contra",
        "strictness1": "un final necesita todo lo que pide, y nada en contra",
        "strictness2": "un final necesita todo lo que pide, en las 12 últimas frases, y nada en contra",
        "between_cards1": "una frase sin carta entre dos cartas",
        "between_cards2": "dos frases sin carta entre dos cartas",
        "rejected1": "los finales rechazados se conservan",
        "protest_card1": "la carta de una frase anulada se queda en la mesa",
        "chain1": "a quien interrumpe se le puede interrumpir",
        "hook1": "se elige de dónde cuelga cada frase",
        "special_tells1": "la carta que interrumpe también se cuenta",
        "pass_draw1": "quien pasa roba antes de descartar",
        "reshuffle0": "con los descartes no se hace otro mazo",
        "must_end1": "sin cartas no se puede pasar",
        "protest_penalty1": "quien protesta en vano roba una carta",
        "auto_protest1": "lo que no tiene sentido se anula solo",
        "change_ending1": "quien pasa puede cambiar un final, y entonces roba dos",
    },
}

# Numbered words belong to the value of a field: case1 to ON_PROTEST, sense4 to ABRUPT.
WORDS = {
    "en": {
        "head": "Sentences told: {} of {} at most · {} narrates",
        "over": "The tale is over · sentences: {}",
        "you": " (you)",
        "table": "At this table: {}",
        "passing": "{} passes.",
        "with_card": "with its card",
        "without": "without a card",
        "last": "Last sentence, by {}: {}, {}{}; {}",
        "hangs": ", going on from {}",
        "broke_in": "{} has broken in with {}.",
        "taken": "; {} took over with {}",
        "sense10": "it makes sense",
        "sense4": "nothing leads to it (sense: 4 of 10)",
        "sense3": "it rambles (sense: 3 of 10)",
        "sense2": "the tale lacks what it needs (sense: 2 of 10)",
        "turn": "In this turn: sentences since the last card {}, in a row with nothing new {}{}{}",
        "closing": "; told without cards in hand {} of {}",
        "protested": "; protested: {}",
        "case1": "To be voted on: {}'s protest against that sentence.",
        "case2": "To be voted on: {}'s claim that it told of {} ({} in 100).",
        "case3": "To be voted on: {}'s ending, “{}”",
        "voters": "Voting: {}",
        "yours": "Your choice: {}",
        "theirs": "{} to choose: {}",
        "tell": "play a card and tell of it, tell of something else, or pass",
        "tell_between": "tell something without a card (the next card may follow after {}), or pass",
        "tell_hooked": "tell what goes on from {}",
        "tell_last": "tell of what has been told before ({} at most), play your ending{}",
        "tell_end": "play your ending{}",
        "hook": "what the next sentence goes on from: {}{}",
        "or_pass": ", or pass",
        "or_end": ", or play your ending{}",
        "passing_choice": "discard a card face down, or keep all{}",
        "or_change": ", or change an ending",
        "react": "what you say to the last sentence: {}",
        "claim": "claim",
        "interrupt": "interrupt with {}",
        "protest": "protest",
        "nothing": "nothing",
        "right": "right",
        "wrong": "wrong, {} in 100",
        "doubtful": "doubtful, {} in 100",
        "vote": "vote yes or no",
        "tale": "The tale",
        "before": "… ({} sentences before)",
        "refused": "(refused: “{}”)",
        "untold": "Nothing has been told yet.",
        "context": "Told of last",
        "facts": "What holds",
        "told2": "Told, the card on the table",
        "told1": "Told, the card elsewhere",
        "told0": "Told, on no card",
        "unsaid": "On the table, not told by the card",
        "hands": "Cards in hand: {}",
        "piles": "Deck {} · endings in the pile {} · discarded face up {}, face down {}",
        "open": "Discarded face up",
        "buried": "You discarded face down",
        "buried_by": "{} discarded face down",
        "known": "Known to be in the hand of {}",
        "known_own": "All know that you hold",
        "hand": "Your hand",
        "hand_of": "Hand of {}",
        "empty": "no cards",
        "mark": "(* interrupts)",
        "ending": "Your ending {}: “{}”",
        "ending_of": "Ending {} of {}: “{}”",
        "known_ending": "Known ending of {}: “{}”",
        "known_pile": "Known ending in the pile, number {} from the top: “{}”",
        "or": " or ",
        "too_old": " (too long ago)",
        "blocks": "in the way: {}",
        "unless": "not in the way: {}",
        "would1": "the judge would accept it",
        "would0": "the judge would refuse it",
        "next": "Next to be drawn",
        "fines": "Votes against the judge: {}",
    },
    "es": {
        "head": "Frases contadas: {} de {} como mucho · narra {}",
        "over": "Se acabó el cuento · frases: {}",
        "you": " (tú)",
        "table": "En esta mesa: {}",
        "passing": "{} pasa.",
        "with_card": "con su carta",
        "without": "sin carta",
        "last": "Última frase, de {}: {}, {}{}; {}",
        "hangs": ", a partir de {}",
        "broke_in": "{} ha interrumpido con {}.",
        "taken": "; {} tomó la palabra con {}",
        "sense10": "tiene sentido",
        "sense4": "nada lleva a ello (sentido: 4 de 10)",
        "sense3": "divaga (sentido: 3 de 10)",
        "sense2": "al cuento le falta lo que necesita (sentido: 2 de 10)",
        "turn": "En este turno: frases desde la última carta {}, seguidas sin nada nuevo {}{}{}",
        "closing": "; contadas sin cartas en la mano {} de {}",
        "protested": "; han protestado: {}",
        "case1": "Se vota la protesta de {} contra esa frase.",
        "case2": "Se vota si, como reclama {}, se ha contado de {} ({} de 100).",
        "case3": "Se vota el final de {}: «{}»",
        "voters": "Votan: {}",
        "yours": "Tú decides: {}",
        "theirs": "{} decide: {}",
        "tell": "jugar una carta y contar de ella, contar otra cosa, o pasar",
        "tell_between": "contar algo sin carta (la próxima carta, después de {}), o pasar",
        "tell_hooked": "contar lo que sigue a partir de {}",
        "tell_last": "contar algo de lo ya contado ({} como mucho), jugar tu final{}",
        "tell_end": "jugar tu final{}",
        "hook": "a partir de qué sigue la próxima frase: {}{}",
        "or_pass": ", o pasar",
        "or_end": ", o jugar tu final{}",
        "passing_choice": "descartar una carta boca abajo, o guardar todas{}",
        "or_change": ", o cambiar un final",
        "react": "qué dices a la última frase: {}",
        "claim": "reclamar",
        "interrupt": "interrumpir con {}",
        "protest": "protestar",
        "nothing": "nada",
        "right": "vale",
        "wrong": "no vale, {} de 100",
        "doubtful": "dudoso, {} de 100",
        "vote": "votar sí o no",
        "tale": "El cuento",
        "before": "… ({} frases antes)",
        "refused": "(rechazado: «{}»)",
        "untold": "Aún no se ha contado nada.",
        "context": "Lo último contado",
        "facts": "En el cuento",
        "told2": "Contado, con la carta en la mesa",
        "told1": "Contado, con la carta en otra parte",
        "told0": "Contado, sin carta que lo tenga",
        "unsaid": "En la mesa, sin contarse con la carta",
        "hands": "Cartas en la mano: {}",
        "piles": "Mazo {} · finales en el montón {} · descartadas boca arriba {}, boca abajo {}",
        "open": "Descartadas boca arriba",
        "buried": "Has descartado boca abajo",
        "buried_by": "{} ha descartado boca abajo",
        "known": "Se sabe en la mano de {}",
        "known_own": "Todos saben que tienes",
        "hand": "Tu mano",
        "hand_of": "Mano de {}",
        "empty": "ninguna carta",
        "mark": "(* Interrupción)",
        "ending": "Tu final {}: «{}»",
        "ending_of": "Final {} de {}: «{}»",
        "known_ending": "Final conocido de {}: «{}»",
        "known_pile": "Final conocido del montón, el número {} desde arriba: «{}»",
        "or": " o ",
        "too_old": " (hace demasiado)",
        "blocks": "lo impide: {}",
        "unless": "no lo impide: {}",
        "would1": "el juez lo aceptaría",
        "would0": "el juez lo rechazaría",
        "next": "Las próximas",
        "fines": "Votos contra el juez: {}",
    },
}

_HELP = {
    "en": """\
Tell a fairy tale together, and steer it to your own ending. Each seat holds
story cards and a hidden ending. One narrates; the others take the tale over
wherever they can. Whoever has no cards left and ends the tale with an ending
that fits it wins.

Narrating. A sentence is about one thing. You may
  play a card and tell of what it shows, one card a sentence;
  tell of something without a card: new things and old, on cards or on none;
  pass: you may discard a card face down, then you draw one, and the seat to
  your left narrates.
A sentence goes on from one of the last three things told of, and should tie to
one of them. It makes little sense if nothing leads to it, if the tale lacks
what it needs (who falls asleep must be in it), or if you ramble: three
sentences in a row with nothing new, or seven without a card.

Reacting. After each sentence all others choose at once, in secret:
  claim a card of yours that the sentence tells of or means, if what was told
  before it leads there. If it is right, you lay it down and narrate, and the
  old narrator draws one. If it is wrong, you discard it and draw two. In
  between is doubtful: the judge, or a vote.
  interrupt with a card marked * if a card of its group has just been played;
  that is always right.
  protest, once a turn, if the sentence makes little sense. If that is upheld,
  the sentence is undone, its narrator draws one, and the seat to the left goes
  on. A protest is dealt with first; what else was said comes in random order.
Telling again of something whose card is still in a hand may be claimed; whose
card lies on the table may not.

Ending. Without cards in hand you may tell two more sentences of what was told
before, and play your ending. It is judged by what holds in the tale: it asks
for one or two things, and some endings have something that stands in their way.
If it is refused, you draw an ending and a card, and the seat to your left
narrates. After too many sentences, those with the fewest cards share the win.

The story cards, with * where they interrupt:
{cards}
On no card:
{concepts}

Choices with one answer are made for you. Nobody is told who could have reacted.

Type a move by its name: play Forest, tell Forest, tell dragon, pass, keep,
discard Forest, change ending 1, end 1, claim Forest, interrupt Frog, protest,
nothing, yes, no, hook 1. Some letters alone list what has them.
Cards may be named in Spanish, too.""",
    "es": """\
Contad un cuento entre todos, y llévalo cada cual hacia su final. Cada jugador
tiene cartas de cuento y un final oculto. Uno narra, y los demás le quitan la
palabra en cuanto pueden. Gana quien se queda sin cartas y acaba el cuento con
un final que le vaya.

Narrar. Cada frase trata de una sola cosa. Puedes
  jugar una carta y contar de lo que muestra, una sola carta por frase;
  contar de algo sin carta: cosas nuevas o ya contadas, estén o no en cartas;
  pasar: si quieres descartas una carta boca abajo, luego robas una, y narra
  quien tienes a la izquierda.
Una frase sigue a partir de una de las tres últimas cosas contadas, y debería
tener que ver con alguna. Tiene poco sentido si nada lleva a ella, si al cuento
le falta lo que necesita (quien se duerme debe estar en él) o si divagas: tres
frases seguidas sin nada nuevo, o siete sin carta.

Reaccionar. Tras cada frase todos los demás eligen a la vez y en secreto:
  reclamar con una carta tuya que la frase cuente o dé a entender, si lo contado
  antes lleva a ella. Si vale, la bajas y narras tú, y quien narraba roba una.
  Si no vale, la descartas y robas dos. Entre medias hay duda: la resuelve el
  juez, o una votación.
  interrumpir con una carta marcada con * si acaba de jugarse una de su grupo;
  eso vale siempre.
  protestar, una vez por turno, si la frase tiene poco sentido. Si se acepta, la
  frase se anula, quien la contó roba una, y sigue quien tiene a la izquierda.
  La protesta va primero; lo demás se mira en un orden al azar.
Si vuelves a contar de algo cuya carta sigue en una mano, te la pueden reclamar;
si la carta está ya en la mesa, no.

El final. Sin cartas en la mano puedes contar dos frases más de lo ya contado, y
jugar tu final. Se juzga por lo que hay en el cuento: pide una o dos cosas, y a
algunos finales hay algo que se lo impide. Si se rechaza, robas un final y una
carta, y narra quien tienes a la izquierda. Si el cuento se alarga demasiado,
comparten la victoria quienes tienen menos cartas.

Las cartas de cuento, con * las que interrumpen:
{cards}
En ninguna carta:
{concepts}

Si no hay elección, se juega por ti. Nadie sabe quién ha podido reaccionar.

Escribe la jugada por su nombre: carta Bosque, contar Bosque, contar dragón,
paso, guardar, descartar Bosque, cambiar final 1, final 1, reclamar Bosque,
interrumpir Rana, protestar, nada, sí, no, gancho 1. Unas letras
solas listan lo que las tiene.
Valen también otras palabras para las cosas.""",
}


def help_text(language: str) -> str:
    """Return the rules in short, all cards and concepts, and how to type moves."""
    check_language(language)
    cards, concepts = (by_group(things, language) for things in (range(NUM_ELEMENTS), range(NUM_ELEMENTS, NUM_THINGS)))
    return _HELP[language].format(cards="\n".join(cards), concepts="\n".join(concepts))
