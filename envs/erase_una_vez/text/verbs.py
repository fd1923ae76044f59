"""What people type in *Érase una vez* beside the names of cards and things, in English and Spanish."""

Words = dict[str, tuple[str, ...]]  # by language

# What people type before the name of a card or a thing, or before a number; the first of each is the name.
CARD_WORDS: Words = {
    "en": ("play", "card", "play card", "lay", "lay down", "put down", "play and tell"),
    "es": ("carta", "jugar", "juego", "jugar carta", "juego carta", "bajar", "bajo", "poner", "echar"),
}
TELL_WORDS: Words = {
    "en": ("tell", "tell about", "talk about", "talk", "mention", "narrate", "say", "I tell", "I tell about"),
    "es": ("contar", "cuento", "contar algo", "hablar", "hablo", "narrar", "narro", "mencionar", "menciono", "decir"),
}
DISCARD_WORDS: Words = {
    "en": ("discard", "throw away", "drop"),
    "es": ("descartar", "descarto", "tirar", "descartarme"),
}
CLAIM_WORDS: Words = {
    "en": ("claim", "claim card", "that is", "I claim", "I have"),
    "es": ("reclamar", "reclamo", "reclamar carta", "eso es", "tengo"),
}
INTERRUPT_WORDS: Words = {
    "en": ("interrupt", "break in", "I interrupt"),
    "es": ("interrumpir", "interrumpo", "interrupción"),
}
END_WORDS: Words = {
    "en": ("end", "ending", "happy ending", "finish", "play ending", "tell ending"),
    "es": ("final", "final feliz", "fin", "acabar", "jugar final", "contar final"),
}
CHANGE_WORDS: Words = {
    "en": ("change ending", "swap ending", "exchange ending", "new ending"),
    "es": ("cambiar final", "cambio final", "cambiar final feliz", "otro final"),
}
HOOK_WORDS: Words = {"en": ("hook", "hang on", "go on from"), "es": ("gancho", "enganchar", "seguir")}

# What people type by itself.
PASS_WORDS: Words = {
    "en": ("pass", "I pass", "pass the turn", "pass on"),
    "es": ("paso", "pasar", "pasar turno", "pasar el turno", "paso turno"),
}
KEEP_WORDS: Words = {
    "en": ("keep", "keep all", "keep my cards", "discard nothing", "discard none"),
    "es": ("guardar", "guardar todo", "guardo", "quedármelas", "no descartar", "no descarto", "descartar nada"),
}
NOTHING_WORDS: Words = {
    "en": ("nothing", "say nothing", "do nothing", "let it be", "quiet", "silence", "none"),
    "es": ("nada", "no digo nada", "no hago nada", "no decir nada", "callar", "me callo", "silencio", "ninguna"),
}
PROTEST_WORDS: Words = {
    "en": ("protest", "I protest", "object", "I object", "challenge", "that makes no sense"),
    "es": ("protestar", "protesto", "protesta", "objetar", "desafiar", "no tiene sentido", "eso no tiene sentido"),
}
YES_WORDS: Words = {
    "en": ("yes", "y", "vote yes", "in favour", "accept", "agree"),
    "es": ("sí", "s", "voto sí", "votar sí", "a favor", "acepto", "aceptar", "vale"),
}
NO_WORDS: Words = {
    "en": ("no", "n", "vote no", "against", "refuse", "reject"),
    "es": ("no", "n", "voto no", "votar no", "en contra", "rechazo", "rechazar"),
}
# What things are called in English beside their gloss and what the tale calls them; tables.py has those in Spanish.
ENGLISH_WORDS = {
    "P04": ("elder", "grandfather"), "P07": ("father", "mother", "dad", "mum", "mom"), "P09": ("foe",),
    "P10": ("robber",), "P11": ("grandmother",), "P12": ("brother", "sister", "twin"), "P13": ("boy", "girl", "kid"),
    "P24": ("husband", "wife"), "O02": ("ship",), "O03": ("fire",), "O08": ("gold",), "O13": ("present",),
    "L02": ("castle",), "L03": ("town",), "L04": ("ocean",), "L08": ("dungeon", "jail"), "L11": ("woods",),
    "L12": ("cabin", "cottage"), "L13": ("path",), "L19": ("church",), "L20": ("house",), "A01": ("scared",),
    "A06": ("sleeping",), "A21": ("mad",), "A23": ("wicked",), "E07": ("battle",),
}  # fmt: skip
SMALL_WORDS = {  # that do not matter
    "en": frozenset(("a", "an", "the", "of", "with")),
    "es": frozenset(("el", "la", "los", "las", "un", "una", "unos", "unas", "de", "del", "al", "con")),
}

NO_NUMBER = {
    "en": "{0!r}, but which? Add its number: '{0} 1'",
    "es": "{0!r}, pero ¿cuál? Añade su número: '{0} 1'",
}
NO_SUCH_MOVE = {
    "en": "{!r} is no move; write one such as 'play Forest', 'tell dragon', 'claim Frog', 'end 1', 'nothing' or 'pass'",
    "es": (
        "{!r} no es una jugada; escribe una como 'carta Bosque', 'contar dragón', 'reclamar Rana', 'final 1', 'nada' "
        "o 'paso'"
    ),
}
