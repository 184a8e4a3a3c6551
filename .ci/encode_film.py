"""Makes a WebM of the frames of screenshots/walk.py: `encode_film.py FRAMES FILE`. Needs PyAV."""

import json
import sys
from fractions import Fraction
from pathlib import Path

import av
from av.video.frame import PictureType
from av.video.reformatter import ColorRange

# One whole picture (g), and then only changes: pages change little.
QUALITY = {"crf": "36", "g": "10000", "row-mt": "1", "deadline": "good", "cpu-used": "5"}


def encode(frames: Path, file: Path) -> None:
    """Write the film: each picture for its time, and the last one again, as the end."""
    shown = json.loads((frames / "frames.json").read_text())
    with av.open(str(file), "w") as film:
        stream = film.add_stream("libvpx-vp9", rate=25, options=QUALITY)
        stream.width, stream.height, stream.pix_fmt = 1280, 860, "yuv420p"
        stream.bit_rate = 0  # as many as the quality (crf) needs
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        at = 0
        for name, milliseconds in [*shown, (shown[-1][0], 0)]:
            with av.open(str(frames / name)) as picture:
                whole = next(picture.decode(video=0))
            frame = whole.reformat(format="yuv420p", dst_color_range=ColorRange.MPEG)
            frame.pts, frame.time_base = at, Fraction(1, 1000)
            frame.pict_type = PictureType.NONE  # not whole, as the PNG is
            film.mux(stream.encode(frame))
            at += milliseconds
        film.mux(stream.encode())


if __name__ == "__main__":
    encode(Path(sys.argv[1]), Path(sys.argv[2]))
