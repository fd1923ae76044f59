"""The rulebook's examples of *Érase una vez*, good and bad, by page, as steps of the structured mode.

A step is what a narrator tells after a tale, and what another player then does. A person that the rulebook names by no
card is one of the concepts: the man at the table is a hero, the woodcutter's daughter a maiden.
"""

from typing import NamedTuple


class Step(NamedTuple):
    """A sentence after a tale, and the reaction to it."""

    page: int
    tale: str  # as in erase_tables.table: a sentence each, with * by its card
    says: str  # an action of the narrator
    reaction: str = ""  # of another player: a claim, or an interruption


# Steps that the rulebook gives as good.
GOOD = (
    Step(8, "Palacio, Montaña", "card Rey"),
    Step(8, "Rey", "card Palacio"),
    Step(8, "Rey, Palacio", "card Montaña"),
    Step(9, "caballero, Dormido(a)", "tell Árbol"),
    Step(9, "caballero, Dormido(a)", "tell Bosque", "claim Bosque"),
    Step(9, "Rey, leñador", "card Dos personas se enamoran"),
    Step(9, "Rey, leñador, Dos personas se enamoran*, boda", "tell Pasa el tiempo"),
    Step(10, "Rey, leñador, Dos personas se enamoran*, boda, Pasa el tiempo", "tell bebé", "claim Niño(a)"),
    Step(10, "Rey, leñador, Dos personas se enamoran*, boda, Pasa el tiempo", "tell bebé", "claim Príncipe"),
    Step(10, "Anciana*, Palacio", "card Puerta", "interrupt Árbol"),
    Step(12, "", "card Anciana"),
    Step(12, "Anciana*, tristeza", "card Rey"),
    Step(12, "Anciana*, Rey*", "tell Un viaje", "claim Un viaje"),
    Step(12, "Anciana*, Rey*, Un viaje*", "card Pueblo"),
    Step(13, "Un viaje*, Pueblo*, héroe", "card Montaña"),
    Step(13, "Pueblo*, Montaña*, Palacio", "card Puerta"),
    Step(14, "Anciana*, Palacio, Puerta*", "card Ventana"),
    Step(14, "Anciana*, Palacio, Puerta*, Ventana*, héroe", "tell Rana"),
    Step(14, "Anciana*, Ventana*, héroe, Rana", "card Este animal puede hablar"),
    Step(14, "Anciana*, Ventana*, Rana, Este animal puede hablar*", "tell Bruja"),
)

# What the traveller sees on the way to the mountain (page 8): a list, of which nothing matters.
LIST_TALE, LIST = "Montaña, Camino, Pueblo", ("Caballo", "Pastora", "Madrastra", "Rana", "Gigante", "Lobo")

# Claims that the rulebook refuses: a noise is no monster yet, and who is seen has not been met.
REFUSED = (
    Step(10, "caballero, Cueva", "tell ruido extraño", "claim Monstruo"),
    Step(14, "Anciana*, Palacio, Puerta*, Ventana*", "tell héroe", "claim Encuentro entre personas"),
)
