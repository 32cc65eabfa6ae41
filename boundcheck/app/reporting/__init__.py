"""The report's parts: where its data come from, what is said of each statement, the figures, the HTML form."""
