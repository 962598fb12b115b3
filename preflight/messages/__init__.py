"""All text for people: reasons as words, lists, counts, amounts, times."""
