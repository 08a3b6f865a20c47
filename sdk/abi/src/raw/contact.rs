//! Queries to a detector, its answers, and contacts as steppers see them.

use abi_stable::StableAbi;
use vinci_core::model::{self, PairValues};
use vinci_core::{contact, pair_parameters, stage};

use super::view::{Crossing, Keys, Measured, OrNone, Sizes, view};
use super::{Channel, Matrix, Slice};
use crate::fault::Flaw;

view! {
    /// Mirrors [`stage::DetectQuery`].
    DetectQuery mirrors stage::DetectQuery {
        t: f64;
        pose: Slice<f64>;
        margin: Slice<f64>;
    }
}

view! {
    /// Mirrors [`contact::RawContacts`].
    RawContacts mirrors contact::RawContacts, sizes s {
        key: Keys = s.n, "keys";
        gap: Slice<f64> = s.n, "gaps";
        normal: Slice<f64> = 3 * s.n, "normal coordinates";
        point_a: Slice<f64> = 3 * s.n, "coordinates of points on A";
        point_b: Slice<f64> = 3 * s.n, "coordinates of points on B";
        group: Slice<u32> = OrNone(s.n), "groups";
    }
}

macro_rules! columns {
    ($($name:ident { $($told:tt)* })+) => {
        view! {
            /// Mirrors [`model::PairColumns`], field by field of the table of pair parameters.
            PairColumns mirrors model::PairColumns {
                $($name: Slice<f64>;)+
            }
        }
    };
}

pair_parameters!(columns);

impl Measured<usize> for model::PairColumns<'_> {
    #[inline]
    fn fits(&self, expected: usize) -> bool {
        self.list().iter().all(|column| column.len() == expected)
    }

    fn measure(&self, _: &str, expected: usize) -> Result<(), String> {
        let named = self.zip(PairValues::MANY).list();
        named.iter().try_for_each(|(column, what)| column.measure(what, expected))
    }
}

view! {
    /// Mirrors [`contact::Contacts`].
    Contacts mirrors contact::Contacts, sizes s {
        n_t: usize;
        key: Keys = s.n, "keys";
        body_a: Slice<u32> = s.n, "bodies on side A";
        body_b: Slice<u32> = s.n, "bodies on side B";
        gap: Slice<f64> = s.n, "gaps";
        normal: Slice<f64> = 3 * s.n, "normal coordinates";
        tangent: Slice<f64> = 3 * s.n * s.n_t, "tangent coordinates";
        point_a: Slice<f64> = 3 * s.n, "coordinates of points on A";
        point_b: Slice<f64> = 3 * s.n, "coordinates of points on B";
        jacobian: Matrix = (s.n * (1 + s.n_t), s.nv), "the contact Jacobian";
        pair: PairColumns = s.n, "parameters of pairs";
        last_impulse: Slice<f64> = s.n * (1 + s.n_t), "last impulses";
        age: Slice<u32> = s.n, "contact ages";
        group: Slice<u32> = OrNone(s.n), "OR groups";
        cell: Slice<f64> = OrNone(s.n), "cells of patch nodes";
    }
}
