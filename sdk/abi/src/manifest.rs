//! The manifest: what a plugin says about itself before it is used.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vinci_core::model::{ShapeKind, Space};
use vinci_core::problem::ProblemClass;

use crate::codes;
use crate::parameters::Parameters;

/// Role of a plugin in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Finds contacts.
    Detector,
    /// Formulates and advances.
    Stepper,
    /// Solves problems.
    Solver,
    /// Gives efforts and set-points.
    Controller,
}

impl Role {
    /// All roles, in the order of a step.
    pub const ALL: [Self; 4] = [Self::Detector, Self::Stepper, Self::Solver, Self::Controller];

    /// Role of a plugin that stands under this key of an experiment: its name, or `controllers`.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == key || role.key() == key)
    }

    /// Key of an experiment under which plugins of the role stand.
    pub fn key(self) -> &'static str {
        match self {
            Self::Controller => "controllers",
            _ => self.name(),
        }
    }

    /// Name as manifests and experiments write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Detector => "detector",
            Self::Stepper => "stepper",
            Self::Solver => "solver",
            Self::Controller => "controller",
        }
    }
}

/// Manifest of a plugin: its description of itself. One per role of a library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    /// Unique id: owner, role, method, separated by points.
    pub id: String,
    /// Its role.
    pub role: Role,
    /// Version of the plugin.
    pub version: String,
    /// One line for lists.
    #[serde(default)]
    pub title: String,
    /// SPDX expression.
    #[serde(default)]
    pub licence: String,
    /// Authors of the plugin.
    #[serde(default)]
    pub authors: Vec<String>,
    /// Papers to cite.
    #[serde(default)]
    pub citation: Vec<String>,
    /// Problem classes a solver takes or a stepper emits.
    #[serde(default)]
    pub classes: Vec<String>,
    /// Capabilities ("certificate", "warm-start", "sees-failures", …).
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// Declared law of a stepper, which the referee holds it to: `name` or `name=value`; a value `@option` is that of an option; see
    /// [`vinci_core::referee::Declaration`]. None: the strictest law.
    #[serde(default)]
    pub declares: Vec<String>,
    /// How it treats parameters of the scene.
    #[serde(default)]
    pub parameters: Parameters,
    /// Shape kinds a detector knows.
    #[serde(default)]
    pub shapes: Vec<String>,
    /// Spaces it works in; empty for both.
    #[serde(default)]
    pub spaces: Vec<String>,
    /// JSON Schema of its options.
    #[serde(default)]
    pub options: Value,
    /// True if the same input gives the same bits.
    pub deterministic: bool,
    /// Contract it was built for.
    pub contract: String,
    /// Compiler that built it.
    pub rustc: String,
    /// Panic strategy: "unwind" or "abort" (which the host refuses).
    pub panic: String,
}

/// Capabilities that a role can claim. What they mean: the page on capabilities of the SDK.
pub fn capabilities_of(role: Role) -> &'static [&'static str] {
    match role {
        Role::Detector => &["no-polytope-pairs", "or-groups"],
        Role::Stepper => &[
            "compliant",
            "derivatives",
            "deviates",
            "drive-speeds",
            "dynamic",
            "first-order",
            "needs-stiffness",
            "or-groups",
            "order-2",
            "quasi-dynamic",
            "quasi-static",
            "sees-failures",
            "state-numbers",
            "supports",
        ],
        Role::Solver => &[
            "bounds",
            "certificate",
            "default",
            "free-rows",
            "linear-objective-only",
            "node-limit",
            "second-order-cones",
            "singular-free-block",
            "singular-objective",
            "time-limit",
            "unbounded-certificate",
            "warm-start",
        ],
        Role::Controller => &["efforts", "set-points"],
    }
}

impl Manifest {
    /// A manifest with nothing but its name; the building facts are filled in.
    pub fn new(id: &str, role: Role, version: &str) -> Self {
        Self {
            id: id.into(),
            role,
            version: version.into(),
            title: String::new(),
            licence: String::new(),
            authors: Vec::new(),
            citation: Vec::new(),
            classes: Vec::new(),
            capabilities: Vec::new(),
            declares: Vec::new(),
            parameters: Parameters::default(),
            shapes: Vec::new(),
            spaces: Vec::new(),
            options: serde_json::json!({ "type": "object", "additionalProperties": false }),
            deterministic: true,
            contract: codes::CONTRACT.into(),
            rustc: env!("VINCI_RUSTC").into(),
            panic: if cfg!(panic = "unwind") { "unwind" } else { "abort" }.into(),
        }
    }

    /// One line for lists.
    pub fn title(mut self, title: &str) -> Self {
        self.title = title.into();
        self
    }

    /// SPDX expression.
    pub fn licence(mut self, licence: &str) -> Self {
        self.licence = licence.into();
        self
    }

    /// One more author.
    pub fn author(mut self, author: &str) -> Self {
        self.authors.push(author.into());
        self
    }

    /// One more work to cite.
    pub fn citation(mut self, citation: &str) -> Self {
        self.citation.push(citation.into());
        self
    }

    /// Problem classes a solver takes or a stepper emits.
    pub fn classes(mut self, classes: &[ProblemClass]) -> Self {
        self.classes = classes.iter().map(|c| c.name().into()).collect();
        self
    }

    /// Sets the capabilities.
    pub fn capabilities(mut self, capabilities: &[&str]) -> Self {
        self.capabilities = strings(capabilities);
        self
    }

    /// Sets the declared law of a stepper, in place of the strictest one.
    pub fn declares(mut self, words: &[&str]) -> Self {
        self.declares = strings(words);
        self
    }

    /// Scene parameters taken as the scene means them.
    pub fn reads(mut self, parameters: &[&str]) -> Self {
        self.parameters.reads = strings(parameters);
        self
    }

    /// Scene parameters without effect.
    pub fn ignores(mut self, parameters: &[&str]) -> Self {
        self.parameters.ignores = strings(parameters);
        self
    }

    /// Scene parameters taken in another sense: "name: sense".
    pub fn reinterprets(mut self, parameters: &[&str]) -> Self {
        self.parameters.reinterprets = strings(parameters);
        self
    }

    /// Scene parameters with which a step ends the run.
    pub fn refuses(mut self, parameters: &[&str]) -> Self {
        self.parameters.refuses = strings(parameters);
        self
    }

    /// Shape kinds a detector knows.
    pub fn shapes(mut self, kinds: &[ShapeKind]) -> Self {
        self.shapes = kinds.iter().map(|k| shape_name(*k)).collect();
        self
    }

    /// Spaces it works in.
    pub fn spaces(mut self, spaces: &[Space]) -> Self {
        self.spaces = spaces.iter().map(|s| s.name().into()).collect();
        self
    }

    /// JSON Schema of its options.
    pub fn options_schema(mut self, schema: Value) -> Self {
        self.options = schema;
        self
    }

    /// Marks a method whose result depends on more than its input.
    pub fn not_deterministic(mut self) -> Self {
        self.deterministic = false;
        self
    }

    /// Returns true if it takes or emits a class.
    pub fn has_class(&self, class: ProblemClass) -> bool {
        self.classes.iter().any(|c| c == class.name())
    }

    /// Returns true if it claims a capability.
    pub fn has_capability(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|c| c == capability)
    }

    /// Capabilities that this version of the contract does not know: words of a later one, or misspelt ones.
    pub fn unknown_capabilities(&self) -> impl Iterator<Item = &str> {
        let known = capabilities_of(self.role);
        self.capabilities.iter().map(String::as_str).filter(|word| !known.contains(word))
    }

    /// Returns true if it works in a space.
    pub fn works_in(&self, space: Space) -> bool {
        self.spaces.is_empty() || self.spaces.iter().any(|s| s == space.name())
    }

    /// Returns true if a detector knows a kind of shape.
    pub fn knows_shape(&self, kind: ShapeKind) -> bool {
        self.shapes.iter().any(|s| *s == shape_name(kind))
    }
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&w| w.into()).collect()
}

/// Name of a shape kind in manifests: the variant in lower case with hyphens ("planar-capsule").
pub fn shape_name(kind: ShapeKind) -> String {
    let mut name = String::new();
    for c in format!("{kind:?}").chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// The text that crosses: the manifests of a library, or why there are none.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum ManifestText {
    /// One manifest per role.
    List(Vec<Manifest>),
    /// A manifest function panicked.
    Failed {
        /// Name of the function, and message of the panic.
        panicked: String,
    },
}
