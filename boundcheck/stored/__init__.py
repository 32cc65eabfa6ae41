"""What was decided and found before: stored decisions with stamps, certificates, and what a verdict rests on."""
