//! The files of a run: written beside their places, counted and hashed as they grow, renamed when they are whole.

mod early_sync;
mod ledger;
mod sum;
mod table;
mod tables;

pub use self::ledger::Ledger;
pub(crate) use self::sum::hex;
pub use self::sum::{FileSum, Sums, changed_file};
pub use self::table::Table;
pub use self::tables::{Synced, Tables};

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Write;

    use sha2::{Digest, Sha256};

    use super::*;

    fn sum(text: &str) -> FileSum {
        FileSum { size: text.len() as u64, sha256: hex(&Sha256::digest(text)) }
    }

    fn synced<const N: usize>(sums: [(String, FileSum); N]) -> Synced {
        Synced { sums: sums.into(), footers: BTreeMap::new() }
    }

    #[test]
    fn a_table_has_its_name_when_it_is_whole_and_goes_on_where_it_was_cut() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).ok();
        let mut table = Tables::new(dir.path()).open("a.csv", "x,y").unwrap();
        writeln!(table, "1,2").unwrap();
        let (name, kept) = table.sync().unwrap();
        writeln!(table, "3,4").unwrap();
        assert_eq!((name.as_str(), &kept, read("a.csv")), ("a.csv", &sum("x,y\n1,2\n"), None));
        let (name, sums) = table.seal().unwrap();
        assert_eq!((name.as_str(), sums.file), ("a.csv", sum("x,y\n1,2\n3,4\n")));
        assert_eq!((read("a.csv").as_deref(), read("a.csv.part")), (Some("x,y\n1,2\n3,4\n"), None));
        let resumed = Tables::resumed(dir.path(), synced([(name, kept)])).unwrap();
        let mut table = resumed.open("a.csv", "x,y").unwrap();
        writeln!(table, "5,6").unwrap();
        assert_eq!(read("a.csv"), None);
        assert_eq!(table.seal().unwrap().1.file, sum("x,y\n1,2\n5,6\n"));
        assert_eq!(read("a.csv").as_deref(), Some("x,y\n1,2\n5,6\n"));
    }

    /// The one that is whole keeps its name too: a refusal changes nothing.
    #[test]
    fn a_table_that_is_not_what_it_was_does_not_go_on() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.csv"), "x,y\n1,2\n").unwrap();
        let kept = || synced(["a.csv", "b.csv"].map(|name| (name.to_owned(), sum("x,y\n1,2\n"))));
        for (holds, said) in
            [("x,y\n", "holds 4 bytes where"), ("x,y\n1,9\n", "does not hold what the run wrote")]
        {
            std::fs::write(dir.path().join("b.csv.part"), holds).unwrap();
            let error = Tables::resumed(dir.path(), kept()).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
            let mut names: Vec<_> =
                std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
            names.sort();
            assert_eq!(names, ["a.csv", "b.csv.part"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_table_is_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let (precious, table) = (dir.path().join("precious"), dir.path().join("a.csv.part"));
        std::fs::write(&precious, "x,y\n1,2\n").unwrap();
        std::os::unix::fs::symlink(&precious, &table).unwrap();
        let resumed = Tables::resumed(dir.path(), synced([("a.csv".to_owned(), sum("x,y\n"))]));
        assert!(resumed.unwrap_err().to_string().contains("it is a link"));
        Tables::new(dir.path()).open("a.csv", "z").unwrap().seal().unwrap();
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "x,y\n1,2\n");
    }

    #[test]
    fn a_file_that_somebody_else_wrote_to_is_found() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), "whole").unwrap();
        let mut ledger = Ledger::default();
        ledger.add(dir.path(), "a").unwrap();
        ledger.check(dir.path()).unwrap();
        // What a checkpoint holds of it has no fast checksum.
        let stored = serde_json::to_string(&ledger).unwrap();
        assert_eq!(stored, format!(r#"{{"a":{}}}"#, serde_json::to_string(&sum("whole")).unwrap()));
        let read: Ledger = serde_json::from_str(&stored).unwrap();
        read.check(dir.path()).unwrap();
        for other in ["whale", "whole of it"] {
            std::fs::write(dir.path().join("a"), other).unwrap();
            for ledger in [&ledger, &read] {
                let error = ledger.check(dir.path()).unwrap_err().to_string();
                assert!(error.contains("does not hold what was written"), "{error}");
            }
        }
    }
}
