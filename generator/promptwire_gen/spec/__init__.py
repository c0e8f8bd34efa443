"""The front end: parse the YAML of provider specs into checked objects that know their places."""
