"""Words that name nothing."""

# English, German, French, Spanish, Italian, Dutch.
_WORDS = """
about above after again all also although an and any are as at be because been before being below
between both but by can could did do does during each either even every few first for from further
given had has have he hence her here his how however i if in instead into is it its just last
later least less let like likewise many may might more moreover most much must my neither never
next no nor not note nothing now of on once one only or other others otherwise our out over per
perhaps please rather same second see several she should similarly since so some still such than
that the their them then there therefore these they third this those though through thus to today
together too two under unless unlike until up upon us use used using usually very was we were what
when where whereas whether which while who whose why will with within without would yet yes you
your true false none null e.g i.e a aber als am auf aus bei das dass dem den der des die dies
diese doch durch ein eine einem einen er es für hat ich im ist kein mit nach nicht noch nur ob
oder ohne seit sich sie sind um und über von vor war wenn wer wie wir wird zu zum zur au aux avec ce
ces cette dans de donc du elle elles en est et il ils je la le les leur lorsque mais nous ou par
pas pour quand que qui sa sans se selon ses si son sur un une vous al como con cuando del desde
donde el ella ellas ellos entre era esta este esto hay las lo los más para pero por porque según
sin sobre su sus también todo una y ya che da dal della delle di e gli ma nel non più questa
questo sono uno een het maar met niet op te van voor zijn
"""
_FUNCTION_WORDS = frozenset(_WORDS.split())


def is_function_word(word: str) -> bool:
    """Whether a word, in lower case, names nothing in one of a few European languages."""
    return word in _FUNCTION_WORDS
