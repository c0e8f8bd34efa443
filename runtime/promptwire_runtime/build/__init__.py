"""Building: a build's working memory, what it returns, and what generated writers call."""
