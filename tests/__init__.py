"""What holds the program to its word."""
