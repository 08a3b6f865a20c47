"""The page of `vinci view` in Chromium, on scenes that ship: run and written by the built program.

`VINCI` names the program; without it `target/debug/vinci` and `target/release/vinci` are tried. Without one every test fails."""

import os
import pathlib
import subprocess
import unittest

from test_page import COLOURS, Page, STATE, tinted

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program():
    names = [os.environ["VINCI"]] if "VINCI" in os.environ else [ROOT / "target" / kind / "vinci" for kind in ("debug", "release")]
    for name in names:
        if pathlib.Path(name).is_file():
            return str(name)
    raise FileNotFoundError("these tests need the built program: build it, or name it in VINCI")


class Runs(Page):
    def made(self, scene, *options, name="run"):
        """Directory of a run; one that ends with an error is a run, too."""
        out = self.path(f"{scene}-{name}")
        experiment = ROOT / "host" / "scenes" / f"{scene}.json"
        subprocess.run([program(), "run", str(experiment), "--out", str(out), *options], capture_output=True, timeout=600)
        self.assertTrue((out / "summary.json").exists(), scene)
        return out

    def shown(self, directories):
        """Opens the page that the program writes of runs."""
        path = self.path("page.html")
        subprocess.run([program(), "view", *map(str, directories), "--force", "--out", str(path)], check=True, capture_output=True, timeout=600)
        self.opened(path)

    def ends(self, directory):
        """Time of the last recorded state, s."""
        return float((directory / "trajectory.csv").read_text().splitlines()[-1].split(",")[0])

    def check_bodies(self, frame, share, run=0):
        """Bodies have their colour where they are projected to, but where others hide them."""
        self.js(f"window.vinciView.set('show', {{}}); window.vinciView.seekFrame({frame}); window.vinciView.act('fit')")
        picture = self.seen()
        static = self.js(f"window.vinciView.bodies({run})")
        moving = [b for b, name in enumerate(static) if name not in ("box", "fixture", "table", "ground")]
        colours = [*COLOURS, "#8a5fb0", "#b58a1b", "#2f8f8f", "#a8385d"]
        tested = [(k, b) for k, b in enumerate(moving) if k % 8 != 7]
        hits = sum(any(tinted(picture.at(x + i, y + j), colours[k % 8]) for i in (-3, 0, 3) for j in (-3, 0, 3))
                   for k, b in tested for x, y in [self.place(b, frame, run)])
        self.assertGreaterEqual(hits, share * len(tested), f"{hits} of {len(tested)}")
        self.assert_clean()

    def test_a_pile_in_space(self):
        self.shown([self.made("sphere-pile-50", "--duration", "0.1")])
        self.check_bodies(0, 0.4)
        self.check_bodies(self.js("window.vinciView.frames(0)") - 1, 0.4)

    def test_needle_and_peg(self):
        self.shown([self.made("needle-peg", "--duration", "8")])
        self.check_bodies(100, 0.5)
        self.assertIn("largest slip of a support", self.js("window.vinciView.columns()"))

    def test_jammed_fingers(self):
        self.shown([self.made("jammed-fingers")])
        self.check_bodies(20, 1.0)
        self.js("window.vinciView.set('show', {certificates: true})")
        self.assertGreater(len(self.pixels(self.seen(), lambda c: tinted(c, "#d6008f"))), 15)
        self.assertIn("Infeasible", self.js("document.getElementById('legend').innerText"))
        # The loop stands where the fingers squeeze, and nowhere before that.
        self.js("window.vinciView.seekFrame(19)")
        self.assertEqual(len(self.pixels(self.seen(), lambda c: tinted(c, "#d6008f"))), 0)
        self.assert_clean()

    def test_a_robot(self):
        self.shown([self.made("iiwa-pick", "--duration", "0.2")])
        bodies = self.js("window.vinciView.bodies(0)")
        self.assertIn("iiwa/link_7", bodies)
        # Links have no shapes: what is seen where the run says is the bottle, and the tips of the fingers.
        self.js("window.vinciView.set('show', {})")
        for frame in (0, self.js("window.vinciView.frames(0)") - 1):
            self.js(f"window.vinciView.seekFrame({frame}); window.vinciView.act('fit')")
            picture, colour = self.seen(), COLOURS[0]
            x, y = self.place(bodies.index("bottle"), frame)
            self.assertTrue(tinted(picture.at(x, y), colour), f"{picture.at(x, y)} at {x}, {y} is not the bottle")
            self.assertFalse(tinted(picture.at(x + 150, y), colour), "the bottle is everywhere")
        self.assert_clean()

    def test_three_models(self):
        names = ["stewart-trinkle", "anitescu-potra", "coarse"]
        options = [[], ["--stepper", "anitescu-potra"], ["--step", "0.01"]]
        made = [self.made("superellipses-and-polygons", *o, name=n) for n, o in zip(names, options)]
        self.shown(made)
        self.js("window.vinciView.seek(0.5)")
        frames = self.js(STATE)["frames"]
        times = [self.ends(directory) for directory in made]
        self.assertEqual(len(frames), 3)
        self.assertTrue(all(abs(t - 1) < 1e-9 for t in times))
        self.assertEqual(frames[2], 50)
        for compare in ("single", "split", "ghosts"):
            self.js(f"window.vinciView.set('compare', '{compare}')")
            self.assertGreater(len(self.pixels(self.seen(), lambda c: max(c) - min(c) > 20)), 300)
        self.assert_clean()


# The base has no tests of its own; imported, it would be run again.
del Page

if __name__ == "__main__":
    unittest.main()
