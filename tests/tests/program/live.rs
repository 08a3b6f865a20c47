//! `vinci view --live`: a page that follows a run, for the browser of this machine alone. What the page does is tested in a browser.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::interruptions::program::{scene, send, vinci as start};
use vinci_tests::program::{output_text, vinci};

/// The answer to a request, status line first.
fn asked(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_page_is_served_to_this_machine_alone_until_the_program_is_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("slide");
    let output = vinci(&["run", &scene("sliding-block"), "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let mut server = start(&["view", "--live", out.to_str().unwrap()]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port: u16 = line.split(['/', ':']).nth(4).and_then(|word| word.parse().ok()).expect("an address");
    // A colon behind it was taken for a part of it.
    assert!(line.contains(&format!(" http://127.0.0.1:{port}/ ")), "{line}");
    let get = |host: &str, path: &str| {
        asked(port, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    };
    let here = format!("127.0.0.1:{port}");
    let page = get(&here, "/");
    assert!(
        page.starts_with("HTTP/1.1 200")
            && page.contains("connect-src 'self'")
            && page.contains("\"live\":true")
    );
    assert!(get(&here, "/state").contains("trajectory.csv "));
    assert!(get("vinci.example", "/").starts_with("HTTP/1.1 403"));
    assert!(get(&here, "/../summary.json").starts_with("HTTP/1.1 404"));
    let post = asked(
        port,
        &format!("POST / HTTP/1.1\r\nHost: {here}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
    );
    assert!(post.starts_with("HTTP/1.1 405"), "{post}");
    // What is not a run any more is told in the answer, and the program goes on.
    std::fs::write(out.join("trajectory.csv"), "t\nnonsense\n").unwrap();
    assert!(get(&here, "/").starts_with("HTTP/1.1 503"));
    // The port is taken.
    let second = vinci(&["view", "--live", "--port", &port.to_string(), out.to_str().unwrap()]);
    assert_eq!(second.status.code(), Some(7), "{}", output_text(&second));
    assert!(output_text(&second).contains(&format!("port {port} of this machine cannot be used")));
    send(&server, "TERM");
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
