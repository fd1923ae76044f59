"""The rules of *Bandido Alcatraz* in short, and how to type moves, in English and Spanish."""

from sobremesa.envs.core.game import check_language

_HELP = {
    "en": """\
Dig tunnels together from the start tile, so that Bandido gets out of Alcatraz
by one of them. All win together or lose together.

You win if at the end EXIT lies on the table, no other tunnel is open, no water
is in sight, and exactly 3 raincoats and 2 ropes have been gathered. Everything
ends as soon as no tunnel is open, won or not, or when nobody can play any more.

Your turn: play one card, then draw one.
  Dig. Lay the card at an open end. It covers two cells. Wherever it touches
  cards on the table, tunnel must meet tunnel and earth must meet earth, on all
  sides, and it must join an open tunnel. Pictures do not matter.
  Gather. Put a raincoat or a rope beside the pile, while it is still needed. A
  card that was laid cannot be gathered any more, nor the other way round.
If no card can be played, the hand goes under the pile and as many are drawn. If
the pile holds no more cards than the hand, you take it all, and the old hand is
out of the game. Without a pile you pass.

Water. The flooded half of a card must be covered by the end: by one half of
another card with the very same tunnels, whose other half lies beside it. See to
it that there is room. EXIT covers no water. Its own mouth counts as closed.

There are 69 cards: EXIT, 12 raincoats, 8 ropes, 4 with water, 44 others.
Raincoats, ropes and EXIT are dead ends, with tunnels in half a alone.
A hand is three cards. Alone you play by the same rules, with three cards or
with six (solo_hand=six), and are also marked from 0 to 3 by the tunnels left
open: 7 or more, 5 or 6, fewer, none and EXIT laid.
With signals=True one says one of seven things before playing, true or not.

The map. Lines are tunnels. A number stands where an open end leads on; an end
keeps its number while it is open. x grows to the east, y to the south.
[WN|E] is a card whose half a has tunnels to the west and north, and half b to
the east; a and b are joined. ▲ raincoat, § rope, ≈ water. A turned card turns
its letters with it.

Choices with one answer are made for you.

Type a move by its name or by its number in the list. First say where, then
which card and how: 2a east is your second card, half a on the chosen cell, the
other half to the east of it: end 3, water 1, gather 2, 2a east, 1b south,
silence, I can join two tunnels.""",
    "es": """\
Excavad túneles entre todos desde la loseta inicial, para que Bandido se fugue
de Alcatraz por uno de ellos. Ganáis todos o no gana nadie.

Se gana si al final la EXIT está en la mesa, no queda ningún otro túnel abierto,
no hay agua a la vista y se han reunido justo 3 impermeables y 2 cuerdas. Todo
acaba en cuanto no queda ningún túnel abierto, se gane o no, o cuando ya nadie
puede jugar.

Tu turno: juega una carta y luego roba otra.
  Excavar. Pon la carta en un túnel abierto. Ocupa dos casillas. Donde toque
  cartas de la mesa, túnel con túnel y tierra con tierra, por todos los lados, y
  ha de unirse a un túnel abierto. Los dibujos dan igual.
  Reunir. Deja un impermeable o una cuerda junto al mazo, si todavía hace falta.
  Lo excavado ya no se puede reunir, ni lo reunido excavar.
Si no puedes jugar ninguna carta, la mano va bajo el mazo y robas otras tantas.
Si en el mazo no hay más cartas que en tu mano, las tomas todas, y la mano
antigua queda fuera de la partida. Sin mazo, pasas.

El agua. La mitad inundada de una carta debe acabar cubierta: por una mitad de
otra carta con los mismos túneles, que apoya su otra mitad al lado. Cuida de que
haya sitio. La EXIT no cubre agua. Su propia boca cuenta como cerrada.

Hay 69 cartas: la EXIT, 12 impermeables, 8 cuerdas, 4 con agua y otras 44. La
EXIT, los impermeables y las cuerdas no tienen salida: sus túneles están todos
en la mitad a.
La mano es de tres cartas. En solitario valen las mismas reglas, con tres cartas
o con seis (solo_hand=six), y hay una nota de 0 a 3 según los túneles que
queden abiertos: 7 o más, 5 o 6, menos, ninguno y con la EXIT puesta.
Con signals=True se dice una de siete cosas antes de jugar, sea verdad o no.

El mapa. Las líneas son túneles. Un número está donde sigue un túnel abierto,
que lo conserva mientras siga abierto. x crece hacia el este; y, hacia el sur.
[ON|E] es una carta cuya mitad a tiene túneles al oeste y al norte, y cuya mitad
b lo tiene al este; a y b están unidas. ▲ impermeable, § cuerda, ≈ agua. Si la
carta se gira, sus letras giran con ella.

Si no hay elección, se juega por ti.

Escribe la jugada por su nombre o por su número en la lista. Primero di dónde y
luego qué carta y cómo: 2a este es tu segunda carta, con la mitad a en la
casilla elegida y la otra mitad al este: túnel 3, agua 1, reunir 2, 2a este,
1b sur, silencio, puedo unir dos túneles.""",
}


def help_text(language: str) -> str:
    """Return the rules in short, how to read the map, and how to type moves."""
    check_language(language)
    return _HELP[language]
