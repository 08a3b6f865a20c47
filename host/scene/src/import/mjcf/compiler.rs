//! Reads `<compiler>` and `<option>`.

use super::reader::Reader;
use super::settings::FromGeoms;
use crate::diagnostics::Code;
use crate::import::tag::Tag;

impl Reader<'_> {
    /// Settings of the whole model; of several that say the same the last holds.
    pub(super) fn settings(&mut self, root: &Tag) {
        for tag in root.named("compiler") {
            self.compiler(tag);
        }
        for tag in root.named("option") {
            self.option(tag);
        }
    }

    fn compiler(&mut self, tag: &Tag) {
        let of = "<compiler>";
        if self.word(tag, "coordinate", of, &["local", "global"]) == "global" {
            let help = "MuJoCo 2.3.3 and older load and save such models in local coordinates";
            let message = "global coordinates are not read".to_owned();
            self.error(Code::UnknownValue, &tag.place_of("coordinate"), message, help);
        }
        if tag.attribute("angle").is_some() {
            self.settings.degrees = self.word(tag, "angle", of, &["degree", "radian"]) == "degree";
        }
        self.euler_sequence(tag);
        self.masses_of_compiler(tag);
        let flags = [
            ("autolimits", self.settings.autolimits),
            ("balanceinertia", self.settings.balance),
            ("strippath", self.settings.strip_path),
            ("fitaabb", self.settings.fit_boxes),
            ("alignfree", self.settings.align_free),
        ];
        let [autolimits, balance, strip_path, fit_boxes, align_free] =
            flags.map(|(key, before)| self.flag(tag, key, of, before));
        self.settings.autolimits = autolimits;
        self.settings.balance = balance;
        (self.settings.strip_path, self.settings.fit_boxes) = (strip_path, fit_boxes);
        self.settings.align_free = align_free;
        for key in ["assetdir", "meshdir"] {
            if let Some(directory) = tag.text(key) {
                self.settings.mesh_directory = Some(directory.to_owned());
            }
        }
    }

    fn masses_of_compiler(&mut self, tag: &Tag) {
        let of = "<compiler>";
        if tag.attribute("inertiafromgeom").is_some() {
            self.settings.from_geoms = match self.word(tag, "inertiafromgeom", of, &["auto", "true", "false"])
            {
                "true" => FromGeoms::Always,
                "false" => FromGeoms::Never,
                _ => FromGeoms::Auto,
            };
        }
        if let Some(mass) = self.number(tag, "settotalmass", of) {
            self.settings.total_mass = mass;
        }
        if let Some(mass) = self.number(tag, "boundmass", of) {
            self.settings.bound_mass = mass;
        }
        if let Some(inertia) = self.number(tag, "boundinertia", of) {
            self.settings.bound_inertia = inertia;
        }
        if let Some([first, last]) = self.array::<2>(tag, "inertiagrouprange", of) {
            self.settings.inertia_groups = [first as i64, last as i64];
        }
    }

    fn euler_sequence(&mut self, tag: &Tag) {
        let Some(written) = tag.attribute("eulerseq") else { return };
        let letters: Vec<char> = written.text.chars().collect();
        match letters[..] {
            [a, b, c] if letters.iter().all(|l| "xyzXYZ".contains(*l)) => {
                self.settings.eulerseq = [a, b, c];
            }
            _ => {
                let message = format!("<compiler> has the eulerseq \"{}\"", written.text);
                let help = "three of the letters x, y, z (turning axes) and X, Y, Z (fixed ones)";
                self.error(Code::UnknownValue, &written.place.clone(), message, help);
            }
        }
    }

    fn option(&mut self, tag: &Tag) {
        let of = "<option>";
        if let Some(gravity) = self.array::<3>(tag, "gravity", of) {
            self.settings.gravity = Some((gravity, tag.place_of("gravity")));
        }
        if let Some(step) = self.number(tag, "timestep", of) {
            let text =
                format!("the model's time step is {step} s: a scene has none, write it in the experiment");
            self.robot.report.note(text, tag.place_of("timestep"));
        }
        for flag in tag.named("flag") {
            let off = |reader: &mut Self, key: &str, before: bool| {
                let word = reader.word(flag, key, "<flag>", &["absent", "enable", "disable"]);
                if word == "absent" { before } else { word == "enable" }
            };
            self.settings.has_gravity = off(self, "gravity", self.settings.has_gravity);
            self.settings.has_contacts = off(self, "contact", self.settings.has_contacts);
            self.settings.filters_parents = off(self, "filterparent", self.settings.filters_parents);
            if !self.settings.has_gravity {
                self.settings.gravity = Some(([0.0; 3], flag.place_of("gravity")));
            }
        }
    }
}
