"""The back end: the model as Python text. Decisions are already taken; here they become expressions and layout."""
