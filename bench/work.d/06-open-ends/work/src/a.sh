echo a
# TODO quote the name
