"""What the program answers: a session, and a function for each question; nothing is printed, and no process ends here."""
