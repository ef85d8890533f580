"""What the rooms need from the world, one Protocol a file, in our own words."""
