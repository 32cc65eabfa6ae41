"""Files written whole, processes that end with their parent, exits of every front door."""
