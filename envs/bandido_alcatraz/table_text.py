def describe(states, seat, language):
    return "" if seat is None else "x"
