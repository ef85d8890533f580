"""What visitors and we have said to each other, and who may read, carry on or erase it."""
