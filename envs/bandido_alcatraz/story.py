def tell(before, action, after, seat, language):
    return []
