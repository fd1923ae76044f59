"""Words in the pictures of *Corre el encierro*, in English and Spanish."""

from sobremesa.envs.corre_el_encierro.state import (
    ANSWER,
    BEHIND,
    DEFEND,
    DISCARD,
    DRAW,
    LAST_RUNNER,
    OUT,
    PAY,
    PLAY,
    PLAZA,
    SAVE,
    SWEPT,
    WARNED,
)

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
        PLAY: "play", DISCARD: "discard", DRAW: "draw on?", ANSWER: "answer?", DEFEND: "defend!", PAY: "pay!",
        SAVE: "flee!",
    },
    "es": {
        PLAY: "juega", DISCARD: "descarta", DRAW: "¿otra carta?", ANSWER: "¿Otra vez será?", DEFEND: "¡defiéndete!",
        PAY: "¡paga!", SAVE: "¡sálvate!",
    },
}  # fmt: skip
STATUS = {
    "en": {WARNED: "soon behind the barrier", BEHIND: "behind the barrier", OUT: "out of the run"},
    "es": {WARNED: "pronto tras la barrera", BEHIND: "tras la barrera", OUT: "fuera del encierro"},
}
ENDINGS = {
    "en": {PLAZA: "has reached the Plaza", LAST_RUNNER: "the last in the run", SWEPT: "all swept away"},
    "es": {PLAZA: "ha llegado a la Plaza", LAST_RUNNER: "el último en pie", SWEPT: "barridos todos"},
}
