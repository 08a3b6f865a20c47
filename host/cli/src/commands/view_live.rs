//! `vinci view --live`: the page of runs that go on, served to this machine alone until the program is stopped.

use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tiny_http::{Header, Method, Request, Response, Server};

use super::printing::tell;
use super::view_page;
use crate::cli::{Global, ViewArgs};
use vinci_run::exit;
use vinci_run::signals::Stop;
use vinci_run::view::{RunFiles, escaped};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// How long a stop may wait to be seen.
const GLANCE: Duration = Duration::from_millis(200);

type Answer = Response<Cursor<Vec<u8>>>;

/// Serves the page until SIGINT or SIGTERM.
pub(super) fn serve(global: &Global, args: &ViewArgs) -> Result<u8, Diagnostics> {
    // Directories that are none of a run are told before anybody opens a browser.
    view_page::opened(args)?;
    let server = Server::http(("127.0.0.1", args.port)).map_err(|e| no_port(args.port, &*e))?;
    let port = server.server_addr().to_ip().map_or(args.port, |address| address.port());
    let stop = Stop::on_signals().map_err(|e| Diagnostic::error(Code::Io, format!("signals: {e}")))?;
    let address = format!("http://127.0.0.1:{port}/");
    let told = || format!("{address}: open it in a browser on this machine; Ctrl-C ends it\n");
    tell(global, ("view", exit::OK), told, || json!({ "address": address }))?;
    while !stop.is_asked() {
        match server.recv_timeout(GLANCE) {
            // A browser that went away needs no answer.
            Ok(Some(request)) => {
                let answer = answer(&request, args, port);
                drop(request.respond(answer));
            }
            Ok(None) => {}
            Err(e) => return Err(Diagnostic::error(Code::Io, format!("{address}: {e}")).into()),
        }
    }
    Ok(exit::OK)
}

fn no_port(port: u16, why: &dyn std::fmt::Display) -> Diagnostics {
    let message = format!("port {port} of this machine cannot be used: {why}");
    Diagnostic::error(Code::Io, message).help("leave out --port to get a free one").into()
}

/// The answer to a request: the page, or what its tables are like now.
fn answer(request: &Request, args: &ViewArgs, port: u16) -> Answer {
    if !is_from_here(request, port) {
        return text(403, "this page is for the browser of this machine");
    }
    match (request.method(), request.url()) {
        (Method::Get, "/") => page(args, false),
        (Method::Get, "/page") => page(args, true),
        // Browsers ask for it unasked.
        (Method::Get, "/favicon.ico") => text(204, ""),
        (Method::Get, "/state") => text(200, &state(args)),
        (Method::Get, _) => text(404, "there is nothing here"),
        _ => text(405, "there is nothing to change here"),
    }
}

/// Returns true if the browser asked for this machine by its own name: a page of somebody else, whose name was made to lead here,
/// reads nothing.
fn is_from_here(request: &Request, port: u16) -> bool {
    let host = request.headers().iter().find(|header| header.field.equiv("Host"));
    let host = host.map(|header| header.value.as_str().to_owned());
    [format!("127.0.0.1:{port}"), format!("localhost:{port}")].map(Some).contains(&host)
}

/// The page, one that waits, or what is wrong: as a page that asks again, or as text for the scripts of a page that is there.
fn page(args: &ViewArgs, for_scripts: bool) -> Answer {
    let made = view_page::opened(args).and_then(|runs| {
        let begun = runs.iter().map(RunFiles::has_states).collect::<Result<Vec<_>, _>>()?;
        if begun.contains(&false) { Ok(None) } else { view_page::made(&runs, args, true).map(Some) }
    });
    match made {
        Ok(Some(page)) => html(200, &page),
        Ok(None) if for_scripts => text(503, "no state is recorded yet"),
        Ok(None) => html(200, &waiting("No state is recorded yet.")),
        Err(why) if for_scripts => text(503, &why.render_text(false)),
        Err(why) => html(503, &waiting(&why.render_text(false))),
    }
}

/// A page with a text, while there is nothing else to see; the browser asks again.
fn waiting(text: &str) -> String {
    let text = escaped(text);
    format!(
        "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"1\"><title>waiting</title><pre>{text}</pre>"
    )
}

/// Sizes of all files of the runs: a text that changes where one of them does.
fn state(args: &ViewArgs) -> String {
    let files = |directory: &Path| -> Vec<String> {
        let list = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let size = |entry: &std::fs::DirEntry| entry.metadata().map_or(0, |m| m.len());
        let mut files: Vec<_> =
            list.map(|entry| format!("{} {}", entry.file_name().to_string_lossy(), size(&entry))).collect();
        files.sort();
        files
    };
    args.runs.iter().flat_map(|run| files(run)).collect::<Vec<_>>().join("\n")
}

fn text(code: u16, text: &str) -> Answer {
    typed(Response::from_string(text).with_status_code(code), "text/plain; charset=utf-8")
}

fn html(code: u16, text: &str) -> Answer {
    typed(Response::from_string(text).with_status_code(code), "text/html; charset=utf-8")
}

fn typed(answer: Answer, kind: &str) -> Answer {
    let fields =
        [("Content-Type", kind), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")];
    fields
        .iter()
        .filter_map(|(name, value)| Header::from_bytes(*name, *value).ok())
        .fold(answer, Response::with_header)
}
