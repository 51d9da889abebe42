# Enters the slot of the packet that holds the published head.
s/^\tif (start + packet - ring_floor(r, head) > ring_bytes(r))$/\tif (0)/
