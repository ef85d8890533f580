"""Help centres that are read by their own APIs: a vendor a file, behind one port."""
