//! A program that speaks the worker protocol, written from its page alone: an honest solver and controller, and what a program can do wrong.
//!
//! `worker DEED CALL` does the deed when it is asked for the call.

use std::io::{self, Read, Write};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

/// A question: its head and the arrays of f64, u32 and u64 in it, as numbers.
struct Question {
    head: Value,
    body: Vec<u8>,
}

impl Question {
    fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut lengths = [[0_u8; 8]; 2];
        from.read_exact(&mut lengths[0])?;
        from.read_exact(&mut lengths[1])?;
        let [head, body] = lengths.map(|bytes| u64::from_le_bytes(bytes) as usize);
        let (mut text, mut rest) = (vec![0; head], vec![0; body]);
        from.read_exact(&mut text)?;
        from.read_exact(&mut rest)?;
        Ok(Self { head: serde_json::from_slice(&text)?, body: rest })
    }

    /// Numbers of an array; none where it is not there.
    fn numbers(&self, wanted: &str) -> Vec<f64> {
        let mut at = 0;
        for entry in self.head["arrays"].as_array().into_iter().flatten() {
            let shape = entry[2].as_array().expect("a shape is a list");
            let count: usize =
                shape.iter().map(|side| side.as_u64().expect("sides are numbers") as usize).product();
            let size = match entry[1].as_str() {
                Some("f64" | "u64") => 8,
                Some("u32") => 4,
                _ => 1,
            };
            if entry[0] == wanted {
                let bytes = &self.body[at..at + count * size];
                return bytes.chunks_exact(size).map(|bytes| number(&entry[1], bytes)).collect();
            }
            at += (count * size).next_multiple_of(8);
        }
        Vec::new()
    }
}

fn number(kind: &Value, bytes: &[u8]) -> f64 {
    match kind.as_str() {
        Some("f64") => f64::from_le_bytes(bytes.try_into().expect("8 bytes")),
        Some("u64") => u64::from_le_bytes(bytes.try_into().expect("8 bytes")) as f64,
        Some("u32") => f64::from(u32::from_le_bytes(bytes.try_into().expect("4 bytes"))),
        _ => f64::from(bytes[0]),
    }
}

/// An answer in the making.
#[derive(Default)]
struct Answer {
    more: Vec<(&'static str, Value)>,
    arrays: Vec<Value>,
    body: Vec<u8>,
}

impl Answer {
    fn array(&mut self, name: &str, kind: &str, shape: &Value, bytes: &[u8]) {
        self.arrays.push(json!([name, kind, shape]));
        self.body.extend_from_slice(bytes);
        self.body.resize(self.body.len().next_multiple_of(8), 0);
    }

    fn reals(&mut self, name: &str, values: &[f64]) {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.array(name, "f64", &json!([values.len()]), &bytes);
    }

    fn real(&mut self, name: &str, value: f64) {
        self.array(name, "f64", &json!([]), &value.to_le_bytes());
    }

    fn count(&mut self, name: &str, value: u64) {
        self.array(name, "u64", &json!([]), &value.to_le_bytes());
    }

    fn text(&mut self, name: &str, text: &str) {
        self.array(name, "text", &json!([text.len()]), text.as_bytes());
    }

    fn bytes(&self, number: &Value) -> Vec<u8> {
        let mut head = json!({ "number": number, "arrays": self.arrays });
        self.more.iter().for_each(|(key, value)| head[*key] = value.clone());
        let head = head.to_string().into_bytes();
        let lengths = [head.len() as u64, self.body.len() as u64].map(u64::to_le_bytes);
        [&lengths[0], &lengths[1], &head[..], &self.body].concat()
    }
}

/// Projected Gauss-Seidel on w = M z + q, lower ≤ z ≤ upper ⟂ w, for matrices with a positive diagonal.
fn solve(question: &Question, answer: &mut Answer) {
    let list = |name: &str| question.numbers(name);
    let whole = |name: &str| list(name).into_iter().map(|x| x as usize).collect::<Vec<_>>();
    let (data, indices, starts) = (list("m.data"), whole("m.indices"), whole("m.indptr"));
    let (q, lower, upper) = (list("q"), list("lower"), list("upper"));
    let mut z: Vec<f64> = (0..q.len()).map(|i| 0_f64.max(lower[i]).min(upper[i])).collect();
    for _ in 0..200 {
        for i in 0..q.len() {
            let row = starts[i]..starts[i + 1];
            let diagonal: f64 = row.clone().filter(|&e| indices[e] == i).map(|e| data[e]).sum();
            let w = q[i] + row.map(|e| data[e] * z[indices[e]]).sum::<f64>();
            z[i] = (z[i] - w / diagonal).max(lower[i]).min(upper[i]);
        }
    }
    answer.reals("z", &z);
    ending(answer);
}

/// How a solution ended, unless that is said already.
fn ending(answer: &mut Answer) {
    let is_new = |answer: &Answer, name: &str| answer.arrays.iter().all(|array| array[0] != name);
    if is_new(answer, "status") {
        answer.text("status", "Converged");
    }
    if is_new(answer, "iterations") {
        answer.count("iterations", 200);
    }
    answer.real("bound", f64::NAN);
    answer.real("residual", 0.0);
    answer.count("factorizations", 0);
}

/// Efforts against all velocities that are governed.
fn control(question: &Question, efforts: &[usize], answer: &mut Answer) {
    let v = question.numbers("v");
    answer.reals("effort", &efforts.iter().map(|&i| -2.0 * v[i]).collect::<Vec<_>>());
}

/// The page of the protocol.
const PAGE: &str = include_str!("../../../docs/src/reference/worker-protocol.md");

/// Arrays of a question that the page does not name.
fn told_by_the_page(question: &Question) -> String {
    let entries = question.head["arrays"].as_array().into_iter().flatten();
    let names: Vec<String> = entries.filter_map(|entry| Some(plain(entry[0].as_str()?))).collect();
    let missing: Vec<&String> = names.iter().filter(|name| !PAGE.contains(&format!("`{name}`"))).collect();
    if missing.is_empty() {
        format!("the page names all of them: {}", names.len())
    } else {
        format!("missing: {missing:?}")
    }
}

/// The name as tables have it: a matrix once, shapes by `K`, a program with pairs as one without.
fn plain(name: &str) -> String {
    let name = name.strip_prefix("qp.").unwrap_or(name);
    let matrix =
        [".shape", ".indptr", ".indices", ".data"].into_iter().find_map(|part| name.strip_suffix(part));
    let name = matrix.filter(|_| !name.starts_with("shapes.")).unwrap_or(name);
    let words = name.split('.').map(|word| if word.parse::<u32>().is_ok() { "K" } else { word });
    words.collect::<Vec<_>>().join(".")
}

/// Something that a program may not do; the words of the system where it says so.
fn attempt(deed: &str) -> Option<String> {
    let refused = match deed {
        "read" => std::fs::read("/etc/passwd").err(),
        "write" => std::fs::write("left-behind", "x").err(),
        "connect" => std::net::TcpListener::bind("127.0.0.1:0").err(),
        "execute" => Command::new("/bin/true").status().err(),
        _ => return None,
    };
    Some(refused.map_or("nothing kept it from it".to_owned(), |e| format!("kept from it: {e}")))
}

/// A deed that ends in no answer, or in none that can be one.
fn misbehave(deed: &str, number: &Value, out: &mut impl Write) -> io::Result<()> {
    match deed {
        "exit" => std::process::exit(0),
        "abort" => std::process::abort(),
        "spin" => loop {
            std::hint::spin_loop();
        },
        "print" => out.write_all(b"solved it, all is well\n")?,
        "huge-head" => out.write_all(&[0xff; 16])?,
        "huge-body" => out.write_all(&[2_u64.to_le_bytes(), (1_u64 << 40).to_le_bytes()].concat())?,
        "half" => out.write_all(&Answer::default().bytes(number)[..20])?,
        "no-json" => out.write_all(&[&4_u64.to_le_bytes()[..], &[0; 8], b"nope"].concat())?,
        "other-number" => out.write_all(&Answer::default().bytes(&json!(4711)))?,
        "flood" => loop {
            out.write_all(&[0x20; 65536])?;
        },
        "hog" => hog(),
        _ => {}
    }
    out.flush()?;
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Takes memory until there is none.
fn hog() -> ! {
    let mut all = Vec::new();
    loop {
        all.push(vec![1_u8; 1 << 24]);
        std::hint::black_box(&all);
    }
}

/// A wrong answer to `solve` in the form of one.
fn wrong(deed: &str, question: &Question, answer: &mut Answer) -> bool {
    let list = |values: &[f64]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    match deed {
        "lie" => answer.reals("z", &vec![1.0; question.numbers("q").len()]),
        "long" => answer.reals("z", &[0.0; 4711]),
        "nan" => answer.reals("z", &[f64::NAN; 4]),
        "type" => answer.array("z", "u32", &json!([2]), &[0; 8]),
        "lying-shape" => answer.array("z", "f64", &json!([1_u64 << 60, 1_u64 << 60]), &[0; 8]),
        "beyond" => answer.array("z", "f64", &json!([100_000]), &[0; 8]),
        "countless" => answer.array("iterations", "u64", &json!([]), &u64::MAX.to_le_bytes()),
        "behind" => answer.body.extend([0; 8]),
        "twice" => (0..2).for_each(|_| answer.array("z", "f64", &json!([1]), &list(&[0.0]))),
        "no-text" => answer.array("note", "text", &json!([2]), &[0xff, 0xfe]),
        "status" => answer.text("status", "Splendid"),
        "error" => answer.more.push(("error", json!({ "kind": "because", "message": 7 }))),
        "exception" => answer
            .more
            .push(("error", json!({ "kind": "exception", "message": "raised nothing in particular" }))),
        _ => return false,
    }
    true
}

/// A deed that a program is to do, and when.
struct Deed {
    what: String,
    call: String,
}

impl Deed {
    fn of(mut arguments: impl Iterator<Item = String>) -> Self {
        Self { what: arguments.next().unwrap_or_default(), call: arguments.next().unwrap_or_default() }
    }

    /// Does it, where it is time for it.
    fn done(&self, question: &Question, answer: &mut Answer, out: &mut impl Write) -> io::Result<()> {
        let what = self.what.as_str();
        if what.is_empty() || question.head["call"] != *self.call || wrong(what, question, answer) {
            return Ok(());
        }
        let told = if what == "page" { Some(told_by_the_page(question)) } else { attempt(what) };
        match told {
            Some(told) => {
                answer.more.push(("error", json!({ "kind": "unsupported", "message": told })));
                Ok(())
            }
            None if what == "protocol" => Ok(()),
            None => misbehave(what, &question.head["number"], out),
        }
    }
}

/// The rest of an answer, as an honest program gives it.
fn answered(question: &Question, efforts: &mut Vec<usize>, answer: &mut Answer) {
    let is_wrong = !answer.arrays.is_empty() || !answer.body.is_empty();
    match question.head["call"].as_str() {
        Some("create") => *efforts = question.numbers("efforts").into_iter().map(|x| x as usize).collect(),
        Some("solve") if is_wrong => ending(answer),
        Some("solve") => solve(question, answer),
        Some("control") => control(question, efforts, answer),
        _ => {}
    }
}

fn main() -> io::Result<()> {
    let deed = Deed::of(std::env::args().skip(1));
    let protocol = if deed.what == "protocol" { 7 } else { 1 };
    let (mut from, mut out, mut efforts) = (io::stdin().lock(), io::stdout(), Vec::new());
    while let Ok(question) = Question::read(&mut from) {
        let mut answer = Answer::default();
        deed.done(&question, &mut answer, &mut out)?;
        answer.more.push(("protocol", json!(protocol)));
        answered(&question, &mut efforts, &mut answer);
        out.write_all(&answer.bytes(&question.head["number"]))?;
        out.flush()?;
        if question.head["call"] == "bye" {
            break;
        }
    }
    Ok(())
}
