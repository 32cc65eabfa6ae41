"""What a person or a program sees: commands, report, drawings."""
