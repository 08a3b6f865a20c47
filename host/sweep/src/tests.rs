//! Order, numbers and files of sweeps, without a plugin.

use super::level::{DrawOf, Grid, Law, Scalar};
use super::*;
use crate::types::Prune;

fn numbers(values: &[f64]) -> Vec<Scalar> {
    values.iter().map(|x| Scalar::Number(*x)).collect()
}

fn of(case: Option<u64>) -> DrawOf {
    DrawOf { seed: 7, level: 1, case }
}

fn grid(random: &[&str]) -> Grid {
    let axes = vec![("x".to_owned(), numbers(&[1.0, 2.0])), ("y".to_owned(), numbers(&[5.0, 6.0, 7.0]))];
    let random = random.iter().map(|name| ((*name).to_owned(), Law::Uniform([0.0, 1.0]))).collect();
    Grid { axes, random, count: 4 }
}

#[test]
fn the_last_axis_varies_fastest_and_draws_within_a_point() {
    let grid = grid(&["mu"]);
    assert_eq!(grid.points() * grid.count, 24);
    let places: Vec<_> = (0..24).map(|i| grid.values(i, 4, of(None))).collect();
    let (mut k, at) = (0, |values: &[Scalar]| (values[0].number(), values[1].number()));
    for x in [1.0, 2.0] {
        for y in [5.0, 6.0, 7.0] {
            for draw in 0..4 {
                assert_eq!(at(&places[k]), (x, y));
                assert_eq!(places[k][2], places[draw][2], "the same draws at every point");
                k += 1;
            }
        }
    }
}

#[test]
fn draws_stay_when_another_parameter_is_added_and_differ_between_cases_only_where_they_shall() {
    let (one, two) = (grid(&["mu"]), grid(&["d", "mu"]));
    for i in 0..24 {
        assert_eq!(one.values(i, 4, of(None))[2], two.values(i, 4, of(None))[3]);
    }
    assert_ne!(one.values(3, 4, of(Some(0)))[2], one.values(3, 4, of(Some(1)))[2]);
}

#[test]
fn laws_keep_their_bounds_and_reach_all_of_them() {
    let laws = [
        Law::Uniform([2.0, 3.0]),
        Law::LogUniform([1e-3, 1e3]),
        Law::Normal([0.0, 1.0], [-1.0, 0.5]),
        Law::Integers([-2, 3]),
        Law::Choice(numbers(&[1.0, 4.0])),
    ];
    let bounds = [[2.0, 3.0], [1e-3, 1e3], [-1.0, 0.5], [-2.0, 3.0], [1.0, 4.0]];
    for (law, [a, b]) in laws.iter().zip(bounds) {
        let draw = |index| Draw { seed: 1, level: 0, case: None, index, name: "p" };
        let values: Vec<f64> = (0..4000).map(|i| law.value(&draw(i)).number()).collect();
        assert!(values.iter().all(|x| a <= *x && *x <= b), "{law:?}");
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
        assert!(low - a < 0.01 * (b - a) && b - high < 0.02 * (b - a), "{law:?}: {low} … {high}");
        if let Law::Integers(_) = law {
            let mut counts = [0; 6];
            values.iter().for_each(|x| counts[(*x + 2.0) as usize] += 1);
            // 4000/6 each, within five deviations.
            assert!(
                counts
                    .iter()
                    .all(|n| (*n as f64 - 4000.0 / 6.0).abs() < 5.0 * (4000.0_f64 * 5.0 / 36.0).sqrt())
            );
        }
        if let Law::LogUniform(_) = law {
            let below_one = values.iter().filter(|x| **x < 1.0).count() as f64;
            assert!((below_one - 2000.0).abs() < 5.0 * 1000.0_f64.sqrt(), "{below_one}");
        }
    }
}

fn shape(prune: Prune, samples: [u64; 2], shard: [u64; 2]) -> Shape {
    let rung = |name: &str, samples| Step { name: name.into(), samples };
    Shape {
        format: "vinci/sweep-plan@1".into(),
        name: "s".into(),
        hash: "0".into(),
        cases: [2, 5],
        rungs: vec![rung("st", samples[0]), rung("spk", samples[1])],
        prune,
        parameters: vec![
            Column { name: "mu".into(), text: false },
            Column { name: "which".into(), text: true },
        ],
        measures: vec!["y".into()],
        pictures: Vec::new(),
        shard,
        range: None,
    }
}

/// Checks that rows, in any order, are those of a shape.
fn complete(shape: &Shape, rows: &[Row]) -> Result<(), String> {
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by_key(|row| row.id);
    let mut order = order::Order::of(shape);
    rows.into_iter().try_for_each(|row| order.add(row))?;
    order.finish()
}

fn drawn(picture: &types::Picture, shape: &Shape, rows: &[Row]) -> String {
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by_key(|row| row.id);
    let mut painter = pictures::Painter::of(picture, shape);
    rows.into_iter().for_each(|row| painter.add(row));
    painter.svg()
}

fn timed(rows: &[Row]) -> Vec<Line> {
    rows.iter().map(|row| Line { row: row.clone(), seconds: 0.25, said: Vec::new() }).collect()
}

/// All rows of a shape's shard where a run succeeds as `good` says.
fn rows(shape: &Shape, good: impl Fn(RunId) -> bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for unit in shape.own_units() {
        let mut successes = Vec::new();
        while let Some(id) = shape.next(unit, &successes) {
            assert_eq!(shape.unit_of(id), Some(unit));
            let parameters = vec![written(0.1 * id.case as f64), "a,\"b\"".to_owned()];
            let row = Row::without_end(id, parameters, 1, Status::Ok);
            rows.push(Row {
                success: good(id),
                measures: vec![written(1.0 / (1.0 + id.sample as f64))],
                ..row
            });
            successes.push(good(id));
        }
    }
    rows
}

fn ids(rows: &[Row]) -> Vec<(u64, u64, u32)> {
    rows.iter().map(|r| (r.id.case, r.id.sample, r.id.rung)).collect()
}

#[test]
fn a_pruned_case_ends_at_its_first_failure_and_only_whole_cases_climb() {
    let shape = shape(Prune::Case, [2, 1], [1, 1]);
    // Case 2 fails at its second sample, case 3 on the second rung, case 4 never.
    let good = |id: RunId| !matches!((id.case, id.sample, id.rung), (2, 1, 0) | (3, 0, 1));
    let expected = [(2, 0, 0), (2, 1, 0), (3, 0, 0), (3, 1, 0), (3, 0, 1), (4, 0, 0), (4, 1, 0), (4, 0, 1)];
    assert_eq!(ids(&rows(&shape, good)), expected);
}

#[test]
fn a_sample_climbs_by_itself_and_without_pruning_everything_is_run() {
    let good = |id: RunId| id.sample == 0;
    let climbed = ids(&rows(&shape(Prune::Sample, [2, 2], [1, 1]), good));
    assert_eq!(climbed[..3], [(2, 0, 0), (2, 0, 1), (2, 1, 0)]);
    assert_eq!(climbed.len(), 9);
    assert_eq!(rows(&shape(Prune::Never, [2, 2], [1, 1]), good).len(), 12);
    assert_eq!(rows(&shape(Prune::Never, [1, 3], [1, 1]), good).len(), 12);
}

#[test]
fn shards_are_disjoint_and_together_all() {
    for prune in [Prune::Case, Prune::Sample, Prune::Never] {
        let all = ids(&rows(&shape(prune, [3, 2], [1, 1]), |_| true));
        let mut parts: Vec<_> =
            (1..=7).flat_map(|i| ids(&rows(&shape(prune, [3, 2], [i, 7]), |_| true))).collect();
        parts.sort_by_key(|id| all.iter().position(|a| a == id));
        assert_eq!(parts, all);
    }
}

#[test]
fn rows_that_are_missing_twice_or_foreign_are_found() {
    let shape = shape(Prune::Sample, [2, 2], [1, 1]);
    let rows = rows(&shape, |id| id.sample == 0);
    complete(&shape, &rows).unwrap();
    for k in 0..rows.len() {
        let mut less = rows.clone();
        less.remove(k);
        assert!(complete(&shape, &less).is_err(), "without {k}");
        let mut twice = rows.clone();
        twice.push(rows[k].clone());
        assert!(complete(&shape, &twice).is_err(), "{k} twice");
    }
    let mut foreign = rows;
    foreign[0].id.case = 1;
    assert!(complete(&shape, &foreign).unwrap_err().contains("does not belong"));
}

#[test]
fn a_torn_last_line_is_no_row_and_is_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let lines: Vec<Line> = rows(&shape(Prune::Never, [1, 1], [1, 1]), |_| true)
        .into_iter()
        .map(|row| Line { row, seconds: 0.5, said: Vec::new() })
        .collect();
    let mut journal = Journal::resume(dir.path(), 0).unwrap();
    lines[..3].iter().for_each(|l| journal.add(l).unwrap());
    let path = dir.path().join("journal.jsonl");
    let whole = std::fs::read(&path).unwrap();
    for cut in 1..60 {
        std::fs::write(&path, &whole[..whole.len() - cut]).unwrap();
        let (read, end) = read_journal(dir.path()).unwrap();
        assert_eq!(read, lines[..2]);
        Journal::resume(dir.path(), end).unwrap().add(&lines[2]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
    std::fs::write(&path, b"{}\n").unwrap();
    assert!(read_journal(dir.path()).unwrap_err().to_string().contains("line 1 of journal.jsonl is no row"));
}

#[test]
fn every_digit_of_a_row_in_the_journal_counts() {
    let dir = tempfile::tempdir().unwrap();
    let row = rows(&shape(Prune::Never, [1, 1], [1, 1]), |_| true).remove(0);
    let row = Row { measures: vec!["0.125".into()], ..row };
    let line = Line { row, seconds: 0.1 + 0.2, said: Vec::new() };
    Journal::resume(dir.path(), 0).unwrap().add(&line).unwrap();
    assert_eq!(read_journal(dir.path()).unwrap().0, [line]);
    let path = dir.path().join("journal.jsonl");
    let whole = std::fs::read(&path).unwrap();
    for at in (0..whole.len()).filter(|&at| whole[at].is_ascii_digit()) {
        let mut changed = whole.clone();
        changed[at] = if changed[at] == b'9' { b'8' } else { changed[at] + 1 };
        std::fs::write(&path, changed).unwrap();
        let error = read_journal(dir.path()).unwrap_err().to_string();
        assert!(error.contains("line 1 of journal.jsonl"), "byte {at}: {error}");
    }
}

#[test]
fn csv_and_parquet_hold_the_rows_and_are_the_same_bytes_again() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    let shape = shape(Prune::Never, [2, 1], [1, 1]);
    let mut rows = rows(&shape, |id| id.rung == 0);
    rows[1] = Row { measures: vec![String::new()], ..rows[1].clone().because("solver", "a\nline") };
    let (mut bytes, mut again, mut csv) = (Vec::new(), Vec::new(), Vec::new());
    let lines = timed(&rows);
    for out in [&mut bytes, &mut again] {
        let mut table = table::Parquet::begin(&shape, out, false).unwrap();
        table.add(&shape, &lines).unwrap();
        table.end(None).unwrap();
    }
    assert_eq!(bytes, again);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let reader = SerializedFileReader::new(std::fs::File::open(file.path()).unwrap()).unwrap();
    let read: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(read.len(), rows.len());
    for (read, row) in read.iter().zip(&rows) {
        assert_eq!(read.get_long(0).unwrap() as u64, row.id.case);
        assert_eq!(read.get_string(2).unwrap(), &shape.rungs[row.id.rung as usize].name);
        assert_eq!(read.get_bool(4).unwrap(), row.success);
        assert_eq!(written(read.get_double(5).unwrap()), row.parameters[0]);
        assert_eq!(read.get_string(6).unwrap(), &row.parameters[1]);
        assert_eq!(read.get_double(7).map_or_else(|_| String::new(), written), row.measures[0]);
    }
    table::Csv::begin(&shape, &mut csv).unwrap().add(&shape, &lines).unwrap();
    let text = String::from_utf8(csv).unwrap();
    assert!(text.starts_with("case,sample,rung,status,success,mu,which,y,steps,t_end,error,message\n"));
    assert!(text.contains("2,0,spk,ok,false,0.2,\"a,\"\"b\"\"\",,0,,solver,\"a\nline\"\n"), "{text}");
}

/// Two by two places; where cases are pruned, one that did not pass is 0 even without a row on the last rung.
#[test]
fn maps_show_every_case_and_bars_their_counts() {
    let mut shape = shape(Prune::Case, [2, 1], [1, 1]);
    shape.parameters =
        vec![Column { name: "a".into(), text: false }, Column { name: "b".into(), text: false }];
    let mut rows = rows(&shape, |id| id.case != 3);
    for row in &mut rows {
        row.parameters = vec![written(row.id.case as f64), written(0.0)];
    }
    let map = types::Map {
        x: "a".into(),
        y: "b".into(),
        value: "success".into(),
        title: Some("a < b".into()),
        x_label: Some("a, m".into()),
        ..types::Map::default()
    };
    let picture = types::Picture { file: "m.svg".into(), map: Some(map), histogram: None };
    let svg = drawn(&picture, &shape, &rows);
    // Three cases of a third of 440 each: 1, 0, 1; one more rectangle per colour stands in the scale.
    let cells: Vec<&str> = svg.lines().filter(|l| l.contains("width=\"146.67\"")).collect();
    let fills: Vec<bool> = cells.iter().map(|l| l.contains("#fde725")).collect();
    assert_eq!(fills, [true, false, true], "{svg}");
    assert!(cells[1].contains("#440154") && svg.contains("a &lt; b"));
    assert!(svg.contains(">a, m<") && svg.contains(">b<") && svg.contains(">success<"));
    let histogram =
        types::Histogram { of: "y".into(), bins: Some(2), rung: Some("st".into()), ..Default::default() };
    let picture = types::Picture { file: "h.svg".into(), map: None, histogram: Some(histogram) };
    let svg = drawn(&picture, &shape, &rows);
    // Rung st: samples 0 (y = 1) of three cases, samples 1 (y = 0.5) of two: bars of 2/3 and of all of the height.
    let heights: Vec<&str> = svg.lines().filter(|l| l.contains("#3b528b")).collect();
    assert!(heights[0].contains("height=\"246.67\"") && heights[1].contains("height=\"370.00\""), "{svg}");
}

/// Over a parameter of the samples every sample has a place of its own, not that of the first.
#[test]
fn maps_over_parameters_of_samples_show_every_sample() {
    let mut shape = shape(Prune::Never, [2, 2], [1, 1]);
    shape.parameters =
        vec![Column { name: "a".into(), text: false }, Column { name: "mu".into(), text: false }];
    let mut rows = rows(&shape, |id| id.sample == 1);
    for row in &mut rows {
        row.parameters = vec![written(row.id.case as f64), written(row.id.sample as f64)];
    }
    let map = types::Map {
        x: "a".into(),
        y: "mu".into(),
        value: "success".into(),
        rung: Some("st".into()),
        ..types::Map::default()
    };
    let picture = types::Picture { file: "m.svg".into(), map: Some(map), histogram: None };
    let svg = drawn(&picture, &shape, &rows);
    // Half as high as the axes, 370: sample 0 dark, sample 1 bright.
    let cells: Vec<&str> = svg.lines().filter(|l| l.contains("height=\"185.00\"")).collect();
    let bright = cells.iter().filter(|l| l.contains("#fde725")).count();
    let cases = rows.iter().map(|row| row.id.case).collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!((cells.len(), bright), (2 * cases, cases), "{svg}");
}

/// A part of a plan, its rows with words of a process that died, one of them empty.
fn part_of(shape: &Shape) -> Vec<Line> {
    let mut lines = timed(&rows(shape, |id| id.sample == 0));
    lines[0].said = vec!["thread 'x'".into(), String::new()];
    if let Some(line) = lines.get_mut(1) {
        line.said = vec![String::new()];
        line.row = Row { status: Status::Crashed, t_end: "inf".into(), ..line.row.clone() };
    }
    lines
}

fn read_part(path: &std::path::Path, shape: &Shape) -> std::io::Result<Vec<Line>> {
    part::Part::open(path)?.lines(shape).collect()
}

#[test]
fn parts_one_after_the_other_are_the_whole() {
    for prune in [Prune::Case, Prune::Sample, Prune::Never] {
        let whole = shape(prune, [3, 2], [1, 1]);
        for n in [1, 2, 7, 100] {
            let parts = (1..=n).flat_map(|i| ids(&rows(&whole.part([i, n]), |id| id.sample == 0)));
            let all = ids(&rows(&whole, |id| id.sample == 0));
            let parts: Vec<_> = parts.collect();
            assert_eq!(parts, all, "{prune:?} {n}");
        }
    }
}

#[test]
fn a_part_holds_its_rows_to_the_last_bit_and_every_byte_of_it_counts() {
    let dir = tempfile::tempdir().unwrap();
    let shape = shape(Prune::Sample, [2, 2], [1, 1]).part([2, 3]);
    let lines = part_of(&shape);
    part::write_part(dir.path(), &shape, lines.iter().cloned().map(Ok)).unwrap();
    let path = dir.path().join("part-2-of-3.parquet");
    assert_eq!(read_part(&path, &shape).unwrap(), lines);
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(7) {
        std::fs::write(&path, &whole[..length]).unwrap();
        let error = read_part(&path, &shape).unwrap_err().to_string();
        let is_told = error == "it does not hold what its run wrote"
            || error == "it is truncated, or no part of a sweep (it does not end as one)";
        assert!(is_told, "{length}: {error}");
    }
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(&path, &changed).unwrap();
        assert!(read_part(&path, &shape).is_err(), "byte {at}");
    }
    // A file that others made, and one that something was added to.
    std::fs::write(&path, [whole.as_slice(), b"PAR1"].concat()).unwrap();
    assert_eq!(read_part(&path, &shape).unwrap_err().to_string(), "it does not hold what its run wrote");
}

#[test]
fn rows_that_are_not_those_of_the_part_are_not_sealed() {
    let dir = tempfile::tempdir().unwrap();
    let shape = shape(Prune::Never, [2, 2], [1, 1]).part([1, 2]);
    let lines = part_of(&shape);
    let write = |lines: &[Line]| part::write_part(dir.path(), &shape, lines.iter().cloned().map(Ok));
    assert!(write(&lines[1..]).unwrap_err().to_string().contains("is missing"));
    let twice: Vec<Line> = lines[..1].iter().chain(&lines).cloned().collect();
    assert!(write(&twice).unwrap_err().to_string().contains("is there twice"));
    assert!(!dir.path().join("part-1-of-2.parquet").exists());
    write(&lines).unwrap();
}
