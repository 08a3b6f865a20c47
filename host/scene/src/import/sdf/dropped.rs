//! Parts of a model that a scene cannot say: found by comparing the document with what is read.

use super::reader::Reader;
use crate::import::dropped::{reads, why};
use crate::import::tag::Tag;

/// Elements that are read, by name or PARENT/NAME: which attributes and children of them are.
const READ: &[(&str, &str, &str)] = &[
    ("sdf", "version", "world model"),
    ("world", "name", "gravity include model frame joint"),
    ("model", "name canonical_link placement_frame", MODEL),
    ("include", "merge", "uri name pose placement_frame static"),
    ("pose", "relative_to frame degrees rotation_format", ""),
    ("frame", "name attached_to", "pose"),
    ("link", "name", "pose inertial collision gravity kinematic self_collide"),
    ("inertial", "auto", "pose mass inertia"),
    ("inertia", "", "ixx iyy izz ixy ixz iyz"),
    ("collision", "name", "pose geometry surface drake:proximity_properties"),
    (
        "geometry",
        "",
        "box sphere cylinder capsule cone ellipsoid plane mesh empty drake:capsule drake:ellipsoid",
    ),
    ("box", "", "size"),
    ("sphere", "", "radius"),
    ("cylinder", "", "radius length"),
    ("capsule", "", "radius length"),
    ("cone", "", "radius length"),
    ("drake:capsule", "", "radius length"),
    ("ellipsoid", "", "radii"),
    ("drake:ellipsoid", "", "a b c"),
    ("plane", "", "normal size"),
    ("mesh", "", "uri scale submesh drake:declare_convex"),
    ("surface", "", "friction contact"),
    ("surface/friction", "", "ode"),
    ("friction/ode", "", "mu mu2"),
    ("surface/contact", "", "collide_bitmask"),
    ("drake:proximity_properties", "", "drake:mu_static drake:mu_dynamic"),
    ("joint", "name type", JOINT),
    ("axis", "", AXIS),
    ("axis2", "", AXIS),
    ("xyz", "expressed_in", ""),
    ("limit", "", "lower upper effort velocity"),
    ("dynamics", "", "damping friction spring_stiffness spring_reference"),
    ("mimic", "joint axis", "multiplier offset reference"),
    ("drake:mimic", "joint multiplier offset", ""),
    ("drake:collision_filter_group", "name", "drake:member drake:ignored_collision_filter_group"),
];

const MODEL: &str = "pose static self_collide include model frame link joint drake:collision_filter_group";
const JOINT: &str = "pose parent child axis axis2 screw_thread_pitch thread_pitch drake:rotor_inertia drake:gear_ratio drake:mimic";
const AXIS: &str = "xyz limit dynamics use_parent_model_frame mimic";

/// Consequence of leaving something out, by the element's name or ELEMENT@ATTRIBUTE; the first that fits holds.
const WHY: &[(&str, &str)] = &[
    ("visual material light scene gui laser_retro projector particle_emitter audio_source audio_sink", LOOKS),
    ("sensor", "results hold what sensors would measure; controllers read joints"),
    ("plugin", "plugins of another simulator"),
    ("physics", OPTION),
    (
        "allow_auto_disable must_be_base_link max_contacts battery spherical_coordinates magnetic_field",
        OPTION,
    ),
    ("state", "models start as they are written"),
    ("wind enable_wind atmosphere fluid_added_mass buoyancy", "there is no fluid"),
    ("velocity_decay", "links have no damping of their own: it belongs to joints"),
    ("gripper", "holds nothing: grasps are contacts"),
    ("actor road", "moves nothing: it is looked at, or run by scripts"),
    ("bullet", "another simulator's; friction is that of <ode>"),
    ("torsional", "contacts have friction of sliding alone"),
    ("slip1 slip2", "contacts do not creep: `slip` has no counterpart"),
    ("fdir1", "friction is the same in all directions"),
    ("bounce", "approximated: restitution is that of `materials`"),
    ("soft_contact ode contact drake:proximity_properties", SOFT),
    ("drake:point_contact_stiffness drake:hunt_crossley_dissipation drake:relaxation_time", SOFT),
    (
        "drake:hydroelastic_modulus drake:hydroelastic_margin drake:mesh_resolution_hint drake:rigid_hydroelastic drake:compliant_hydroelastic drake:soft_hydroelastic",
        SOFT,
    ),
    ("poissons_ratio elastic_modulus collide_without_contact collide_without_contact_bitmask", SOFT),
    ("category_bitmask", "which geometries touch is said by `collide_bitmask`"),
    ("stiffness dissipation", "approximated: joints end at their limits"),
    ("density auto_inertia_params", "masses are written in <inertial>"),
    ("convex_decomposition", "meshes are their convex hulls"),
    ("initial_position", "joints start at 0: `start` of the tree"),
    ("drake:controller_gains", "controllers stand in the scene"),
    ("drake:acceleration", "accelerations are not limited"),
    ("drake:linear_bushing_rpy drake:ball_constraint", "no such constraint: it has no effect"),
    ("drake:member_group", "groups within groups are not read: its links touch others"),
    ("gearbox_ratio gearbox_reference_body", "gearboxes are refused"),
    ("heightmap image polyline", "no such shape: it touches nothing"),
];

const LOOKS: &str = "looks, or how a model is shown";
const SOFT: &str =
    "approximated: contacts are those of the stepper, and rigid unless `materials` say otherwise";
const OPTION: &str = "another simulator's method: the experiment names stepper and solver";
/// Said of numbers that are 0 where a scene has 0 anyway.
const NOTHING: &str = "says what holds here anyway: 0";
/// Elements of surfaces that say nothing when they are 0.
const ZEROES: &str = "slip1 slip2 fdir1";

impl Reader<'_> {
    /// Lists everything under `tag`, an element of `parent`, that is not read.
    pub(super) fn list_dropped(&mut self, tag: &Tag, parent: &str) {
        let within = format!("{parent}/{}", tag.name);
        let of = |name: &str| READ.iter().find(|(n, ..)| *n == name);
        let Some((_, attributes, children)) = of(&within).or_else(|| of(&tag.name)) else { return };
        for attribute in &tag.attributes {
            let key = attribute.key.as_str();
            // Namespaces are declared as attributes of the root.
            if !reads(attributes, key) && tag.name != "sdf" {
                let what = format!("{}@{key}", tag.name);
                self.robot.report.drop(what, attribute.place.clone(), why(WHY, &tag.name, Some(key)));
            }
        }
        for child in &tag.children {
            if reads(children, &child.name) {
                self.list_dropped(child, &tag.name);
            } else if !told(&tag.name, &child.name) {
                let zero = reads(ZEROES, &child.name) && is_zero(&child.content.text);
                let said = if zero { NOTHING } else { why(WHY, &child.name, None) };
                self.robot.report.drop(format!("{}/{}", tag.name, child.name), child.place.clone(), said);
            }
        }
    }
}

fn is_zero(text: &str) -> bool {
    !text.is_empty() && text.split_whitespace().all(|word| word.parse() == Ok(0.0))
}

/// Elements that are refused, or listed where they are read.
fn told(parent: &str, name: &str) -> bool {
    matches!(
        (parent, name),
        ("world", "population")
            | ("model" | "world", "drake:joint")
            | ("include", "experimental:params")
            | ("geometry", _)
            | ("friction", "torsional")
    )
}
