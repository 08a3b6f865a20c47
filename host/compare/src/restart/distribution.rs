//! Distributions of numbers: median, ninth decile, largest.

use serde_json::{Value, json};

/// A distribution. The part p of n sorted numbers is the ⌈p n⌉-th of them: one that occurs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distribution {
    /// The number below which half of them lie.
    pub median: f64,
    /// The number below which nine of ten lie.
    pub p90: f64,
    /// The largest.
    pub most: f64,
}

impl Distribution {
    /// Distribution of these numbers. NaN counts as infinite. `None` where there are no numbers.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.map(|x| if x.is_nan() { f64::INFINITY } else { x }).collect();
        sorted.sort_by(f64::total_cmp);
        let most = *sorted.last()?;
        let at = |tenths: usize| sorted[(sorted.len() * tenths).div_ceil(10).max(1) - 1];
        Some(Self { median: at(5), p90: at(9), most })
    }

    /// JSON for programs; infinite numbers are null.
    pub fn to_json(&self, unit: &str) -> Value {
        let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
        json!({ "median": finite(self.median), "p90": finite(self.p90), "most": finite(self.most), "unit": unit })
    }

    /// Median, ninth decile, largest.
    pub fn parts(&self) -> [f64; 3] {
        [self.median, self.p90, self.most]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbers_that_occur_and_what_is_none_is_the_largest() {
        let of = |list: &[f64]| Distribution::of(list.iter().copied()).map(|d| d.parts());
        assert_eq!(of(&[3.0, 1.0, 2.0]), Some([2.0, 3.0, 3.0]));
        assert_eq!(of(&(1..=10).map(f64::from).collect::<Vec<_>>()), Some([5.0, 9.0, 10.0]));
        assert_eq!(of(&[7.0]), Some([7.0; 3]));
        assert_eq!(of(&[f64::NAN, 1.0, -f64::NAN]), Some([f64::INFINITY; 3]));
        assert_eq!(of(&[]), None);
        let json = Distribution::of([f64::NAN].into_iter()).unwrap().to_json("m/s");
        assert_eq!(json, serde_json::json!({ "median": null, "p90": null, "most": null, "unit": "m/s" }));
    }
}
