"""`vinci view --live` in Chromium: the page follows a run that goes on, and ends with all of it."""

import signal
import subprocess
import time
import unittest

from test_page import COLOURS, Page, near
from test_runs import ROOT, program


class Live(Page):
    def served(self, directory):
        """Address of the page of a run."""
        command = [program(), "view", "--live", str(directory)]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.server.wait, 20)
        self.addCleanup(self.server.stdout.close)
        self.addCleanup(self.server.terminate)
        return self.server.stdout.readline().split()[1]

    def begun(self, scene, *options):
        """A run that has written its first states and is held there until SIGCONT, and its directory."""
        out = self.path(scene)
        experiment = ROOT / "host" / "scenes" / f"{scene}.json"
        run = subprocess.Popen([program(), "run", str(experiment), "--quiet", "--out", str(out), *options])
        self.addCleanup(run.wait, 300)
        states = out / "trajectory.csv.part"
        while run.poll() is None and not (states.exists() and states.stat().st_size):
            time.sleep(0.001)
        run.send_signal(signal.SIGSTOP)
        self.addCleanup(run.send_signal, signal.SIGCONT)
        return run, out

    def check_plot(self):
        """The line goes through all numbers: it was that of the first look for ever."""
        frames = self.js("window.vinciView.frames(0)")
        picture, missed = self.seen(), []
        for k in range(1, 20):
            x, y = self.js(f"window.vinciView.plotPlace(0, 0, {k * (frames - 1) // 20})")
            around = [(i, j) for i in (-1, 0, 1) for j in (-2, -1, 0, 1, 2)]
            if not any(near(picture.at(x + i, y + j), COLOURS[0], 60) for i, j in around):
                missed.append(k)
        self.assertLessEqual(len(missed), 2, f"places {missed} of 20 are not on the line")

    def test_a_run_is_followed_to_its_end(self):
        run, out = self.begun("iiwa-pick-st", "--duration", "20")
        address = self.served(out)
        self.browser.open_address(address)
        first = self.js("window.vinciView.state().time")
        self.assertTrue(run.poll() is None, "the run was over before the page was there")
        self.js("window.vinciView.set('bodies', 'lines')")
        run.send_signal(signal.SIGCONT)
        # Of a long run the page has a part of the frames, so their number says little.
        self.browser.wait(f"window.vinciView.state().time > {first}")
        self.assertEqual(self.js("window.vinciView.state().bodies"), "lines", "the page is the same page")
        self.assertEqual(run.wait(300), 0)
        end = float((out / "trajectory.csv").read_text().splitlines()[-1].split(",")[0])
        self.browser.wait("document.getElementById('about').innerText.includes('completed')")
        self.assertAlmostEqual(self.js("window.vinciView.state().time"), end, msg="the last state is shown")
        self.check_plot()
        self.assertEqual({a.rsplit("/", 1)[0] + "/" for a in self.browser.requests()}, {address})
        self.assertEqual(self.browser.complaints(), [])


if __name__ == "__main__":
    unittest.main()
