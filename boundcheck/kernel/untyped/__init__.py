"""The proof layer before declarations, for the statements of the catalogue that are not ported to types yet.

What a term is, is read off its place here. No statement of a user comes this way; the folder goes with the last
statement of the catalogue that is ported.
"""
