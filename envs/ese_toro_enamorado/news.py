"""What the news of *Ese Toro enamorado* tell: lines (event, seat, and two numbers)."""

(
    E_CHOOSES,  # a mountain
    E_GOES,  # to a node
    E_STAYS,
    E_BOUNCES,  # off a fence on a node
    E_FINDS,  # on a node, a kind of tile that lay face down
    E_MEETS,  # the moon in a phase; 1 for a marker, 0 where none is left
    E_ROUND,  # of a number and a phase begins, opened by the seat
) = range(7)
NEWS_LENGTH = 32  # what would be too much for one ply is not told
