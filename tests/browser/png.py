"""Pixels of PNG files as browsers write them: 8 bits a channel, RGB or RGBA, not interlaced."""

import itertools
import struct
import zlib


class Picture:
    def __init__(self, data):
        if data[:8] != b"\x89PNG\r\n\x1a\n":
            raise ValueError("not a PNG file")
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack("!I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, colour, *_, interlaced = struct.unpack("!IIBBBBB", body)
                if depth != 8 or colour not in (2, 6) or interlaced:
                    raise ValueError("a kind of PNG that is not read here")
                self.channels = 3 if colour == 2 else 4
            if kind == b"IDAT":
                packed += body
            at += 12 + size
        self.rows = self.unfiltered(zlib.decompress(packed))

    def unfiltered(self, raw):
        step, length = self.channels, self.channels * self.width
        rows, above = [], bytearray(length)
        for y in range(self.height):
            start = y * (length + 1)
            row = bytearray(raw[start + 1:start + 1 + length])
            undo(raw[start], row, above, step)
            rows.append(row)
            above = row
        return rows

    def at(self, x, y):
        x, y = round(x), round(y)
        return tuple(self.rows[y][self.channels * x:self.channels * x + 3])


def undo(kind, row, above, step):
    """Takes the filter of a row back, in place."""
    if kind == 1:
        for channel in range(step):
            row[channel::step] = bytes(x & 0xFF for x in itertools.accumulate(row[channel::step]))
    elif kind == 2:
        row[:] = bytes((a + b) & 0xFF for a, b in zip(row, above))
    elif kind != 0:
        undo_mixed(kind, row, above, step)


def undo_mixed(kind, row, above, step):
    for i in range(len(row)):
        left = row[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        guess = (left + above[i]) // 2 if kind == 3 else nearest(left, above[i], corner)
        row[i] = (row[i] + guess) & 0xFF


def nearest(left, up, corner):
    guess = left + up - corner
    return min((left, up, corner), key=lambda v: abs(guess - v))
