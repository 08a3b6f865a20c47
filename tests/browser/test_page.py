"""The page of `vinci view` in Chromium, on made data. Without Chromium every test fails."""

import functools
import pathlib
import re
import statistics
import tempfile
import time
import unittest

import devtools
import made
import page
import png

COLOURS = ["#1b6ca8", "#c8553d", "#3f8f4f"]
STICK, SLIP, FORCE, JAM, FREE = "#1f9d55", "#e07a00", "#b00020", "#d6008f", "#0077cc"
STATE = "window.vinciView.state()"


def rgb(text):
    return tuple(int(text[k:k + 2], 16) for k in (1, 3, 5))


def near(colour, wanted, most=40):
    return all(abs(a - b) <= most for a, b in zip(colour, rgb(wanted)))


@functools.lru_cache(1 << 16)
def tinted(colour, wanted):
    """Whether a colour has the tint of another one, lighter or darker or mixed with white."""
    def chroma(c):
        middle = sum(c) / 3
        size = sum((x - middle) ** 2 for x in c) ** 0.5
        return [(x - middle) / size for x in c] if size > 8 else None
    a, b = chroma(colour), chroma(rgb(wanted))
    return a is not None and sum(x * y for x, y in zip(a, b)) > 0.97


class Page(unittest.TestCase):
    gl = True

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = devtools.Browser(gl=cls.gl)
        cls.addClassCleanup(cls.browser.close)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def opened(self, path, **options):
        self.browser.open(path, **options)
        return self.browser

    def js(self, expression):
        return self.browser.run(expression)

    def seen(self):
        # Two pictures later whatever was asked for is drawn.
        self.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return png.Picture(self.browser.screenshot())

    def stage(self):
        return self.js("(({left, top, width, height}) => [left, top, width, height])(document.getElementById('scene').getBoundingClientRect())")

    def pixels(self, picture, accept, every=2):
        """Places of the stage with accepted colours, of every second row and column."""
        left, top, width, height = map(int, self.stage())
        step = picture.channels
        found = []
        for y in range(top, top + height, every):
            row = picture.rows[y]
            found += [(x, y) for x in range(left, left + width, every) if accept(tuple(row[step * x:step * x + 3]))]
        return found

    def middle(self, picture, colour):
        found = self.pixels(picture, lambda c: tinted(c, colour))
        self.assertGreater(len(found), 15, f"nothing of {colour}")
        return [sum(p[k] for p in found) / len(found) for k in range(2)]

    def place(self, body, frame, run=0):
        left, top, *_ = self.stage()
        x, y = self.js(f"window.vinciView.project({body}, {frame}, {run})")
        return x + left, y + top

    def assert_near(self, a, b, most):
        self.assertLess(max(abs(p - q) for p, q in zip(a, b)), most, f"{a} instead of {b}")

    def assert_clean(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), [])


class Scene(Page):
    """What is drawn, where."""

    def check_places(self, planar):
        self.opened(made.moving(self.path(f"moving-{planar}.html"), planar))
        for frame in (0, 17, 50):
            self.js(f"window.vinciView.seekFrame({frame})")
            picture = self.seen()
            for body, colour in enumerate(COLOURS):
                self.assert_near(self.middle(picture, colour), self.place(body, frame), 3.0)
        self.assert_clean()

    def test_bodies_are_where_the_trajectory_says_in_the_plane(self):
        self.check_places(True)

    def test_bodies_are_where_the_trajectory_says_in_space(self):
        self.check_places(False)

    def test_the_plane_is_seen_with_x_to_the_right_and_y_up_in_one_scale(self):
        self.opened(made.moving(self.path("plane.html"), True))
        self.check_scale([p[:2] for p in made.three(True, 9)], 9)

    def test_views_along_axes_are_seen_in_one_scale(self):
        self.opened(made.moving(self.path("along.html"), False))
        self.js("window.vinciView.act('parallel')")
        places = made.three(False, 9)
        for axis, across in (("z", (0, 1)), ("x", (1, 2)), ("y", (0, 2))):
            self.js(f"window.vinciView.act('along', '{axis}')")
            self.check_scale([[p[k] for k in across] for p in places], 9)

    def check_scale(self, places, frame):
        scale = self.js(STATE)["pixelsPerMetre"]
        seen = [self.place(body, frame) for body in range(3)]
        for (x, y), (u, v) in zip(places, seen):
            wanted = (seen[0][0] + scale * (x - places[0][0]), seen[0][1] - scale * (y - places[0][1]))
            self.assert_near((u, v), wanted, 0.5)

    def test_every_kind_of_shape_is_drawn(self):
        for planar, shapes in ((True, made.planar_shapes()), (False, made.spatial_shapes())):
            self.opened(made.gallery(self.path(f"gallery-{planar}.html"), planar))
            picture = self.seen()
            for body, shape in enumerate(shapes):
                colour = ["#1b6ca8", "#c8553d", "#3f8f4f", "#8a5fb0", "#b58a1b", "#2f8f8f", "#a8385d", "#555555"][body % 8]
                x, y = self.place(body, 0)
                around = [picture.at(x + i, y + j) for i in (-2, -1, 0, 1, 2) for j in (-2, -1, 0, 1, 2)]
                grey = colour == "#555555"
                hit = any(max(c) < 190 for c in around) if grey else any(tinted(c, colour) for c in around)
                self.assertTrue(hit, f"{shape['kind']}: {around}")
            self.assert_clean()

    def test_the_picture_follows_the_window(self):
        self.opened(made.moving(self.path("size.html"), True))
        resize = lambda w, h: self.browser.call("Emulation.setDeviceMetricsOverride", width=w, height=h, deviceScaleFactor=1, mobile=False)
        try:
            resize(700, 900)
            self.assert_near(self.middle(self.seen(), COLOURS[0]), self.place(0, 0), 3.0)
        finally:
            resize(960, 640)


class Time(Page):
    """Playing, scrubbing, stepping."""

    def setUp(self):
        self.opened(made.moving(self.path("time.html"), True))

    def frame(self):
        return self.js(STATE)["frames"][0]

    def test_keys_step_and_jump(self):
        for key, shift, frame in (("ArrowRight", False, 1), ("ArrowRight", True, 11), ("ArrowLeft", False, 10), ("End", False, 50), ("Home", False, 0)):
            self.browser.press(key, shift)
            self.assertEqual(self.frame(), frame, key)

    def test_space_plays_and_stops(self):
        self.browser.press(" ")
        self.browser.wait("window.vinciView.state().frames[0] > 3")
        self.browser.press(" ")
        stopped = self.js(STATE)["time"]
        time.sleep(0.3)
        self.assertEqual(self.js(STATE)["time"], stopped)
        speed = self.js(STATE)["speed"]
        self.browser.press("]")
        self.assertGreater(self.js(STATE)["speed"], speed)

    def test_the_slider_scrubs(self):
        left, top, width, height = self.js("(({left, top, width, height}) => [left, top, width, height])(document.getElementById('slider').getBoundingClientRect())")
        before = self.middle(self.seen(), COLOURS[1])
        at = {"x": left + 8 + 0.5 * (width - 16), "y": top + height / 2, "button": "left", "clickCount": 1}
        self.browser.mouse("mousePressed", buttons=1, **at)
        self.browser.mouse("mouseReleased", **at)
        self.assertIn(self.frame(), (24, 25, 26))
        after = self.middle(self.seen(), COLOURS[1])
        self.assert_near(after, self.place(1, self.frame()), 3.0)
        self.assertGreater(after[0] - before[0], 20)

    def test_a_click_in_a_plot_goes_there_and_lines_are_where_the_numbers_are(self):
        x, y = self.js("window.vinciView.plotPlace(0, 0, 30)")
        picture = self.seen()
        self.assertTrue(any(near(picture.at(x, y + d), COLOURS[0], 60) for d in (-1, 0, 1)))
        self.browser.mouse("mousePressed", x=x, y=y, button="left", buttons=1, clickCount=1)
        self.browser.mouse("mouseReleased", x=x, y=y, button="left", clickCount=1)
        self.assertIn(self.frame(), (29, 30))

    def test_any_column_can_be_plotted(self):
        self.assertIn("energy", self.js("window.vinciView.columns()"))
        self.js("window.vinciView.plot('b.x')")
        places = [self.js(f"window.vinciView.plotPlace(1, 0, {k})")[1] for k in (0, 25, 50)]
        self.assertLess(places[2], places[0])
        self.assertAlmostEqual(places[1], 0.5 * (places[0] + places[2]), delta=0.5)
        self.assert_clean()


class Camera(Page):
    """Turning, moving, following."""

    def setUp(self):
        self.opened(made.moving(self.path("camera.html"), False))

    def drag(self, dx, dy, **more):
        left, top, width, height = self.stage()
        x, y = left + width / 2, top + height / 2
        self.browser.mouse("mousePressed", x=x, y=y, button="left", buttons=1, clickCount=1, **more)
        self.browser.mouse("mouseMoved", x=x + dx, y=y + dy, button="left", buttons=1, **more)
        self.browser.mouse("mouseReleased", x=x + dx, y=y + dy, button="left", **more)

    def test_dragging_turns_and_with_shift_moves_by_as_much(self):
        before = [self.place(b, 0) for b in range(3)]
        self.drag(60, 0)
        self.assertGreater(max(abs(p[0] - q[0]) for p, q in zip(before, (self.place(b, 0) for b in range(3)))), 5)
        self.js("window.vinciView.act('home'); window.vinciView.act('parallel')")
        before = self.place(0, 0)
        self.drag(40, -30, modifiers=8)
        self.assert_near(self.place(0, 0), (before[0] + 40, before[1] - 30), 1.0)
        self.assert_near(self.middle(self.seen(), COLOURS[0]), self.place(0, 0), 3.0)

    def test_the_wheel_zooms_about_the_pointer(self):
        self.js("window.vinciView.act('parallel')")
        x, y = self.place(0, 0)
        apart = self.place(1, 0)[0] - x
        self.browser.mouse("mouseWheel", x=x, y=y, deltaX=0, deltaY=-100)
        self.browser.wait(f"Math.abs({apart} - (window.vinciView.project(1, 0, 0)[0] - window.vinciView.project(0, 0, 0)[0])) > 1")
        self.assert_near(self.place(0, 0), (x, y), 1.5)

    def test_a_followed_body_stays_in_its_place(self):
        self.js("window.vinciView.act('follow', 2)")
        before = self.place(2, 0)
        self.js("window.vinciView.seekFrame(40)")
        self.assert_near(self.place(2, 40), before, 0.5)
        self.assert_near(self.middle(self.seen(), COLOURS[2]), before, 3.0)

    def test_a_double_click_follows_the_body_under_it(self):
        x, y = self.place(1, 0)
        for count in (1, 2):
            self.browser.mouse("mousePressed", x=x, y=y, button="left", buttons=1, clickCount=count)
            self.browser.mouse("mouseReleased", x=x, y=y, button="left", clickCount=count)
        self.assertEqual(self.js(STATE)["follow"], 1)

    def test_keys_turn_zoom_and_fit(self):
        before = self.place(0, 0)
        for key in ("a", "w", "+"):
            self.browser.press(key)
        self.assertNotEqual(self.place(0, 0), before)
        self.browser.press("h")
        self.assert_near(self.place(0, 0), before, 0.5)


class Marks(Page):
    """Contacts, forces, supports, certificates, and what the legend says."""

    def setUp(self):
        self.opened(made.pressed(self.path("pressed.html")))
        self.js("window.vinciView.seekFrame(1)")

    def at(self, x, y):
        """Place of a point of the plane: the box's centre is at (0, 0.25)."""
        scale = self.js(STATE)["pixelsPerMetre"]
        u, v = self.place(0, 1)
        return u + scale * x, v - scale * (y - 0.25)

    def legend(self):
        return self.js("document.getElementById('legend').innerText")

    def test_modes_have_colours_and_open_contacts_show_when_asked_for(self):
        self.js("window.vinciView.act('show', 'forces')")
        picture = self.seen()
        self.assertTrue(near(picture.at(*self.at(-0.5, 0)), STICK))
        self.assertTrue(near(picture.at(*self.at(0.5, 0)), SLIP))
        self.assertFalse(near(picture.at(*self.at(0, 0)), "#8d99ae", 12))
        self.browser.press("u")
        self.assertTrue(near(self.seen().at(*self.at(0, 0)), "#8d99ae", 12))
        self.assertIn("open", self.legend())

    def test_forces_are_drawn_to_the_scale_of_the_legend(self):
        state = self.js(STATE)
        picture = self.seen()
        red = self.pixels(picture, lambda c: near(c, FORCE, 60), 1)
        x, y = self.at(-0.5, 0)
        length = max(y - q for p, q in red if abs(p - x) <= 4)
        self.assertLess(abs(length - 10 * state["metresPerNewton"] * state["pixelsPerMetre"]), 2)
        value, prefix = re.search(r"force ([\d.]+) ([mk]?)N", self.legend()).groups()
        newton = float(value) * {"m": 1e-3, "": 1, "k": 1e3}[prefix]
        bar = self.js("[...document.querySelectorAll('#legend .bar')].map((b) => b.getBoundingClientRect().width)[1]")
        self.assertLess(abs(bar - newton * state["metresPerNewton"] * state["pixelsPerMetre"]), 1.5)

    def test_friction_cones_have_the_angle_of_the_coefficient(self):
        self.js("window.vinciView.act('show', 'forces'); window.vinciView.act('show', 'cones')")
        state = self.js(STATE)
        height = 10 * state["metresPerNewton"]
        picture = self.seen()
        inside, outside = (picture.at(*self.at(-0.5 + part * 0.5 * 0.8 * height, 0.8 * height)) for part in (-0.9, -1.12))
        self.assertTrue(tinted(inside, STICK) or inside != outside, (inside, outside))
        self.assertNotEqual(inside, outside)

    def test_penetration_is_a_colour_with_its_range_in_the_legend(self):
        self.js("window.vinciView.act('show', 'forces')")
        self.browser.press("p")
        self.assertTrue(near(self.seen().at(*self.at(-0.5, 0)), "#a60000"))
        self.assertIn("penetration 0 … 1 mm", self.legend())

    def test_supports_show_friction_and_mode(self):
        self.js("window.vinciView.act('show', 'forces')")
        self.assertTrue(near(self.seen().at(*self.at(0.25, 0.25)), SLIP))
        self.js("window.vinciView.seekFrame(2); window.vinciView.act('show', 'certificates')")
        self.assertTrue(near(self.seen().at(*self.at(0.25, 0.25)), STICK))

    def test_certificates_show_in_their_frame_only(self):
        count = lambda colour: len(self.pixels(self.seen(), lambda c: near(c, colour, 30)))
        self.assertEqual(count(JAM), 0)
        self.js("window.vinciView.seekFrame(2)")
        self.assertGreater(count(JAM), 15)
        self.assertGreater(count(FREE), 15)
        self.assertIn("jam", self.legend())

    def test_what_was_left_out_is_said(self):
        self.assertIn("3 of 31 recorded frames are in this page, every 10th.", self.legend())
        self.assertIn("made by hand", self.legend())
        self.assert_clean()


class Comparison(Page):
    """Several runs."""

    def setUp(self):
        self.opened(made.moving(self.path("compared.html"), True, shift=(0.0, 0.4, 0.8)))

    def test_ghosts_are_in_their_places(self):
        self.js("window.vinciView.seekFrame(20)")
        picture = self.seen()
        scale = self.js(STATE)["pixelsPerMetre"]
        first = self.place(1, 20, 0)
        for run, colour in enumerate(COLOURS):
            x, y = self.place(1, 20, run)
            self.assert_near((x, y), (first[0] + 0.4 * run * scale, first[1]), 0.5)
            self.assertTrue(tinted(picture.at(x + 4, y - 4), colour), (run, picture.at(x + 4, y - 4)))

    def test_the_run_in_front_lies_before_the_others(self):
        """In the plane ghosts were drawn over the run in front."""
        self.opened(made.moving(self.path("front.html"), True, shift=(0.0, 0.06)))
        self.js("window.vinciView.seekFrame(20)")
        scale = self.js(STATE)["pixelsPerMetre"]
        x, y = self.place(1, 20, 0)
        # In both discs, in quarters that are not lighter.
        at = round(x + 0.09 * scale), round(y - 0.05 * scale)

        def over(below, colour, alpha):
            return [b * (1 - alpha) + c * alpha for b, c in zip(below, rgb(colour))]
        for front, back in (COLOURS[:2], COLOURS[1::-1]):
            wanted = over(over([255] * 3, back, 0.55 * 0.35), front, 0.4)
            self.assert_near(self.seen().at(*at), wanted, 5)
            self.browser.press("r")

    def test_a_part_of_many_runs_is_called_one(self):
        self.opened(made.moving(self.path("part.html"), True, shift=(0.0, 0.4), of=17))
        self.assertEqual(self.js("document.getElementById('about').innerText"), "2 of 17 runs")

    def test_runs_of_one_model_share_its_colour_and_lighter_ghosts_are_theirs(self):
        """Figures had a colour for a model and the page one for a run."""
        self.opened(made.moving(self.path("looks.html"), True, shift=(0.0, 0.4, 0.8), looks=[(0, 0), (0, 1), (1, 0)]))
        swatches = "[...document.querySelectorAll('#legend .swatch.square')].map((s) => s.style.background)"
        first, second, third = self.js(swatches)
        self.assertEqual((first, third), ("rgb(27, 108, 168)", "rgb(200, 85, 61)"))
        self.assertEqual(second, "rgb(95, 152, 194)")
        self.js("window.vinciView.seekFrame(20)")
        picture = self.seen()
        for run, colour in enumerate([COLOURS[0], COLOURS[0], COLOURS[1]]):
            x, y = self.place(1, 20, run)
            self.assertTrue(tinted(picture.at(x + 4, y - 4), colour), (run, picture.at(x + 4, y - 4)))

    def test_the_legend_says_whose_contacts_have_its_colours(self):
        """Ghosts have contacts in their own colour, of which the legend knew nothing."""
        self.opened(made.moving(self.path("whose.html"), True, shift=(0.0, 0.4), touching=True))
        legend = "document.getElementById('legend').innerText"
        said = "contacts and forces of the other runs have the colours of their runs"
        self.assertIn(f"of run 0; {said}", self.js(legend))
        self.browser.press("r")
        self.assertIn(f"of run 1; {said}", self.js(legend))
        self.js("window.vinciView.set('compare', 'split')")
        self.assertNotIn(said, self.js(legend))

    def test_runs_side_by_side_show_the_same_time(self):
        self.js("window.vinciView.set('compare', 'split'); window.vinciView.seekFrame(20)")
        picture = self.seen()
        self.assertEqual(self.js(STATE)["frames"], [20, 20, 20])
        self.assertEqual(self.js("document.getElementById('captions').childElementCount"), 3)
        for run in range(3):
            for body, colour in enumerate(COLOURS):
                self.assertTrue(tinted(picture.at(*self.place(body, 20, run)), colour), (run, body))

    def test_keys_change_comparison_and_run(self):
        self.browser.press("g")
        self.assertEqual(self.js(STATE)["compare"], "split")
        self.browser.press("r")
        self.assertEqual(self.js(STATE)["active"], 1)
        self.assert_clean()


class Closed(Page):
    """Nothing leaves the page, nothing gets in."""

    def test_the_policy_refuses_requests_scripts_and_styles(self):
        self.opened(made.moving(self.path("closed.html"), True))
        self.assertEqual(self.js("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')"), "refused")
        self.js("{ const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s); }")
        self.js("{ const i = document.createElement('img'); i.src = 'http://127.0.0.1:9/x.png'; document.body.append(i); }")
        self.js("document.body.insertAdjacentHTML('beforeend', '<b onclick=\"window.broken = 1\" style=\"color: red\">x</b>')")
        self.js("document.querySelector('b').click()")
        self.assertIsNone(self.js("window.broken"))
        self.assertEqual(self.js("getComputedStyle(document.querySelector('b')).color"), "rgb(34, 34, 34)")
        refused = [c for c in self.browser.complaints() if "Content Security Policy" in c]
        self.assertGreaterEqual(len(refused), 4)

    def test_names_are_text(self):
        name = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 1'>{{script}}"
        block = page.Block()
        shape = [{"body": 0, "kind": "disc", "params": [1.0]}]
        run = made.run(block, True, [name], shape, [[[0.0, 0.0, 0.0]]], [0.0], notes=[name])
        run["name"] = name
        self.opened(made.write(self.path("names.html"), block, [run], True, name))
        self.assertEqual(self.js("document.getElementById('title').textContent"), name)
        self.assertEqual(self.js("document.title"), name)
        self.assertIsNone(self.js("window.broken"))
        self.assert_clean()

    def test_broken_and_newer_data_are_told(self):
        whole = made.moving(self.path("whole.html"), True).read_text()
        data = re.search(r'id="vinci-data">([^<]*)<', whole).group(1)
        cases = {
            "cut": whole.replace(data, data[:len(data) // 2 // 4 * 4]),
            "newer": whole.replace('"format":"vinci/view@1"', '"format":"vinci/view@2"'),
            "short": whole.replace('"bytes":', '"bytes":1'),
        }
        for name, text in cases.items():
            path = self.path(f"{name}.html")
            path.write_text(text)
            self.opened(path, ready="!document.getElementById('message').hidden")
            self.assertIn("cannot be shown", self.js("document.getElementById('message').textContent"))

    def test_data_need_no_compression(self):
        self.opened(made.moving(self.path("plain.html"), True, compress=False))
        self.assert_near(self.middle(self.seen(), COLOURS[0]), self.place(0, 0), 3.0)


class Size(Page):
    """20 bodies × 10⁴ frames."""

    def test_twenty_bodies_and_ten_thousand_frames(self):
        path = made.large(self.path("large.html"))
        size = path.stat().st_size
        begin = time.monotonic()
        self.opened(path)
        opened = time.monotonic() - begin
        times = self.js("window.vinciView.measure(30)")
        own = self.js("document.getElementById('pace').textContent")
        picture = self.seen()
        self.assertGreater(len(self.pixels(picture, lambda c: max(c) - min(c) > 40)), 500)
        words = ", ".join(f"{name} {statistics.median(list_):.1f} ms" for name, list_ in times.items())
        print(f"\n20 bodies × 10⁴ frames, 10⁵ contacts: {size / 1e6:.2f} MB, open after {opened:.2f} s, drawn in {words}; script alone {own}")
        self.assertLess(size, 20e6)
        self.assert_clean()


class WithoutGl(Page):
    """A browser that has no WebGL2."""

    gl = False

    def test_lines_and_a_message(self):
        for planar in (True, False):
            self.opened(made.moving(self.path(f"lines-{planar}.html"), planar))
            self.assertTrue(self.js(STATE)["lines"])
            self.assertIn("no WebGL2", self.js("document.getElementById('message').textContent"))
            self.assertFalse(self.js("document.getElementById('message').hidden"))
            self.js("window.vinciView.seekFrame(17)")
            picture = self.seen()
            for body, colour in enumerate(COLOURS):
                self.assert_near(self.middle(picture, colour), self.place(body, 17), 4.0)
        self.assertEqual(self.browser.requests(), [])


class Assembly(unittest.TestCase):
    """The rule by which the page is put together."""

    def test_modules_have_no_name_twice_and_import_from_earlier_ones_on_one_line(self):
        names, earlier = {}, []
        for module in page.modules():
            text = (page.ASSETS / f"{module}.js").read_text()
            for name in re.findall(r"^(?:export )?(?:async )?(?:function\*?|const|let|class) (\w+)", text, re.M):
                self.assertNotIn(name, names, f"{name} is in {names.get(name)} and {module}")
                names[name] = module
            for line in re.findall(r"^import .*", text, re.M):
                imported = re.fullmatch(r'import \{ (.*) \} from "\./(\w+)\.js";', line)
                self.assertIsNotNone(imported, line)
                for name in imported.group(1).split(", "):
                    self.assertEqual(names.get(name), imported.group(2), f"{module}: {line}")
            self.assertNotRegex(text, r"(?m)^export (default|\{|\*)")
            earlier.append(module)
        files = {path.stem for path in page.ASSETS.glob("*.js")}
        self.assertEqual(files, set(earlier))

    def test_nothing_ends_its_element(self):
        for text in (page.script(), (page.ASSETS / "style.css").read_text()):
            self.assertNotRegex(text, r"(?i)</(script|style)|<!--|<script|\{\{")

    def test_the_page_without_data_is_small(self):
        size = len(page.page({"title": "", "runs": []}, page.Block()).encode())
        print(f"\npage without data: {size} bytes")
        self.assertLess(size, 150_000)


if __name__ == "__main__":
    unittest.main()
