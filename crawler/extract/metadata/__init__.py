"""What a page says about itself: its title, description, dates, language and linked data."""
