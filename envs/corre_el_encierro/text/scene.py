"""Words in the pictures of *Corre el encierro*, in English and Spanish."""

from sobremesa.envs.corre_el_encierro import state as s

WORDS = {
    "en": {
        "runner": "Runner {}", "you": "you", "turn": "to play",
        "runner's turn": "runner {} to play", "wins": "wins", "open": "open table",
        "sees": "seen by runner {}", "plays": "plays cards", "discards": "discards", "draws": "draws",
        "moved": "has advanced", "struck": "struck!", "waits": "next in line", "danger": "in danger!",
        "object": "object", "held": "{} in hand",
        "pile": "draw pile", "discard pile": "discards", "come": "still in the pile", "gone": "out of the pile",
        "laid": "laid", "round": "Pile {}", "steers": "Steers",
        "closed": "closed", "special": "special object", "closes": "{} closes", "knows": "{}, stolen from you",
        "sole": "Runner {} wins!", "shared": "Runners {} win!", "and": " and ",
    },
    "es": {
        "runner": "Corredor {}", "you": "tú", "turn": "le toca",
        "runner's turn": "le toca al corredor {}", "wins": "gana", "open": "mesa abierta",
        "sees": "visto por el corredor {}", "plays": "juega cartas", "discards": "descarta", "draws": "roba",
        "moved": "ya ha avanzado", "struck": "¡le da!", "waits": "en la fila", "danger": "¡peligro!",
        "object": "objeto", "held": "{} en la mano",
        "pile": "mazo", "discard pile": "descartes", "come": "aún en el mazo", "gone": "ya fuera del mazo",
        "laid": "en juego", "round": "Mazo {}", "steers": "Cabestros",
        "closed": "cerrado", "special": "objeto especial", "closes": "se cierra {}", "knows": "{}, te la robaron",
        "sole": "¡Gana el corredor {}!", "shared": "¡Ganan los corredores {}!", "and": " y ",
    },
}  # fmt: skip
ASKED = {
    "en": {
        s.PLAY: "play", s.DISCARD: "discard", s.DRAW: "draw on?", s.ANSWER: "answer?", s.DEFEND: "defend!",
        s.PAY: "pay!", s.SAVE: "flee!",
    },
    "es": {
        s.PLAY: "juega", s.DISCARD: "descarta", s.DRAW: "¿otra carta?", s.ANSWER: "¿Otra vez será?",
        s.DEFEND: "¡defiéndete!", s.PAY: "¡paga!", s.SAVE: "¡sálvate!",
    },
}  # fmt: skip
STATUS = {
    "en": {s.WARNED: "soon behind the barrier", s.BEHIND: "behind the barrier", s.OUT: "out of the run"},
    "es": {s.WARNED: "pronto tras la barrera", s.BEHIND: "tras la barrera", s.OUT: "fuera del encierro"},
}
ENDINGS = {
    "en": {s.PLAZA: "has reached the Plaza", s.LAST_RUNNER: "the last in the run", s.SWEPT: "all swept away"},
    "es": {s.PLAZA: "ha llegado a la Plaza", s.LAST_RUNNER: "el último en pie", s.SWEPT: "barridos todos"},
}
