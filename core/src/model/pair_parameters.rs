//! The parameters of contacts: one table. Materials, pairs, rules, contacts, the contract, the format of scenes and what is said
//! of a scene are made from it.

use super::Combination;

/// Hands the table to a macro of the caller.
///
/// A paragraph is a parameter, under its name in scenes and in code:
/// - `unit`: as it stands behind a number;
/// - `rule`: how the values of two materials become one, unless the scene says otherwise;
/// - `neutral`: the value that has no effect; `absent`: that of a material that does not say;
/// - `of`: `any` pair, or `soft` ones alone (rigid pairs have no use for it);
/// - `schema`: the range, as the schema of scenes says it;
/// - `many`: its name in messages about arrays;
/// - `material`, `rules`, `pair`: what the schema says of it there.
#[macro_export]
macro_rules! pair_parameters {
    ($callback:ident) => {
        $callback! {
            friction {
                unit: "", rule: GeometricMean, neutral: 0.0, absent: 0.5, of: any,
                schema: (range(min = 0)), many: "friction coefficients",
                material: "Coefficient of Coulomb friction; default 0.5.",
                rules: "Rule for friction; default `geometric-mean`.",
                pair: "Coefficient of Coulomb friction.",
            }
            restitution {
                unit: "", rule: Max, neutral: 0.0, absent: 0.0, of: any,
                schema: (range(min = 0, max = 1)), many: "restitution coefficients",
                material: "Coefficient of restitution, 0 (no bounce) to 1; default 0.",
                rules: "Rule for restitution; default `max`.",
                pair: "Coefficient of restitution, 0 to 1.",
            }
            stiffness {
                unit: " N/m", rule: Series, neutral: f64::INFINITY, absent: f64::INFINITY, of: any,
                schema: (extend("exclusiveMinimum" = 0)), many: "contact stiffnesses",
                material: "Contact stiffness, N/m; absent: rigid.",
                rules: "Rule for stiffness; default `series` (a rigid partner drops out).",
                pair: "Contact stiffness, N/m.",
            }
            damping {
                unit: " N s/m", rule: Series, neutral: 0.0, absent: 0.0, of: soft,
                schema: (range(min = 0)), many: "contact dampings",
                material: "Contact damping, N s/m; default 0.",
                rules: "Rule for damping; default `series`.",
                pair: "Contact damping, N s/m.",
            }
            dissipation {
                unit: " s/m", rule: Mean, neutral: 0.0, absent: 0.0, of: soft,
                schema: (range(min = 0)), many: "contact dissipations",
                material: "Dissipation d of the Hunt–Crossley law k (1 + d δ̇) δ, s/m; default 0.",
                rules: "Rule for dissipation; default `mean`.",
                pair: "Dissipation of the Hunt–Crossley law, s/m.",
            }
        }
    };
}

macro_rules! values {
    ($($name:ident {
        unit: $unit:literal, rule: $rule:ident, neutral: $neutral:expr, absent: $absent:expr, of: $of:ident,
        schema: $schema:tt, many: $many:literal, material: $m:literal, rules: $r:literal, pair: $pair:literal,
    })+) => {
        const COUNT: usize = [$(stringify!($name)),+].len();

        /// Something for every parameter of contacts: values of a pair, rules, columns over contacts.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct PairValues<T> {
            $(#[doc = $pair] pub $name: T,)+
        }

        impl<T> PairValues<T> {
            /// Applies `f` to each value, in the order of the table.
            #[inline]
            pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> PairValues<U> {
                PairValues { $($name: f(self.$name),)+ }
            }

            /// Each with that of another.
            #[inline]
            pub fn zip<U>(self, other: PairValues<U>) -> PairValues<(T, U)> {
                PairValues { $($name: (self.$name, other.$name),)+ }
            }

            /// References.
            #[inline]
            pub fn as_ref(&self) -> PairValues<&T> {
                PairValues { $($name: &self.$name,)+ }
            }

            /// References that can write.
            #[inline]
            pub fn as_mut(&mut self) -> PairValues<&mut T> {
                PairValues { $($name: &mut self.$name,)+ }
            }

            /// All, in the order of the table.
            #[inline]
            pub fn list(self) -> [T; COUNT] {
                [$(self.$name,)+]
            }
        }

        impl PairValues<&'static str> {
            /// Names in scenes and manifests.
            pub const NAMES: Self = PairValues { $($name: stringify!($name),)+ };
            /// Units, as they stand behind a number.
            pub const UNITS: Self = PairValues { $($name: $unit,)+ };
            /// Names in messages about arrays.
            pub const MANY: Self = PairValues { $($name: $many,)+ };
        }

        impl PairValues<f64> {
            /// Values without effect.
            pub const NEUTRAL: Self = PairValues { $($name: $neutral,)+ };
            /// Values of a material that says nothing.
            pub const ABSENT: Self = PairValues { $($name: $absent,)+ };
        }

        impl PairValues<bool> {
            /// True if only soft pairs have a use for it.
            pub const SOFT: Self = PairValues { $($name: values!(@ $of),)+ };
        }

        impl PairValues<Combination> {
            /// The rules of scenes that name none.
            pub const RULES: Self = PairValues { $($name: Combination::$rule,)+ };
        }
    };
    (@ any) => { false };
    (@ soft) => { true };
}

pair_parameters!(values);

/// Properties of a pair, as contacts carry them: μ, e, K, C, d.
pub type Pair = PairValues<f64>;

/// Values given for one pair; `None` leaves the combination rule in force.
pub type PairOverride = PairValues<Option<f64>>;

/// The parameters of all contacts, n each.
pub type PairColumns<'a> = PairValues<&'a [f64]>;
