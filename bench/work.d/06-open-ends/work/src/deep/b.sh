# TODO remove after March
echo b
