"""What has happened since the last decision, noted by the rules for whoever tells of it."""

from sobremesa.envs.core.kernel import kernel


@kernel
def note(state, event, one, two, three):
    """Add a line to `state.news` `(lines, 4)`, of which there are `state.news_count`; what does not fit is not told."""
    if state.news_count < state.news.shape[0]:
        line = state.news[state.news_count]
        line[0], line[1], line[2], line[3] = event, one, two, three
        state.news_count += 1
