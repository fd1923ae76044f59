def help_text(language):
    return "x"
