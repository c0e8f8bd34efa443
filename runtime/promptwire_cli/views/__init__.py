"""What the commands show: requests that are built, bodies and answers that are read, problems that are found."""
