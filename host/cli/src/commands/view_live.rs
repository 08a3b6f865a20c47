//! `vinci view --live`: the page of runs that go on, served to this machine alone until the program is stopped.

use std::io::Cursor;
use std::path::Path;
use std::sync::mpsc;
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

/// Bytes of tables of all runs that are read for a page: reading and packing them takes a fraction of a second.
const MOST_READ: u64 = 8_000_000;

type Answer = Response<Cursor<Vec<u8>>>;

/// Serves the page until SIGINT or SIGTERM.
pub(super) fn serve(global: &Global, args: &ViewArgs) -> Result<u8, Diagnostics> {
    // Directories that are none of a run are told before anybody opens a browser.
    view_page::opened(args)?;
    let server = Server::http(("127.0.0.1", args.port)).map_err(|e| no_port(args.port, &*e))?;
    let port = server.server_addr().to_ip().map_or(args.port, |address| address.port());
    let stop = Stop::on_signals().map_err(|e| Diagnostic::error(Code::Io, format!("signals: {e}")))?;
    let requests = answering(Pages { args: args.clone(), port, last: None })?;
    let address = format!("http://127.0.0.1:{port}/");
    let told = || format!("open {address} in a browser on this machine; Ctrl-C ends it\n");
    tell(global, ("view", exit::OK), told, || json!({ "address": address }))?;
    while !stop.is_asked() {
        match server.recv_timeout(GLANCE) {
            // A request that nobody takes is answered with an error when it is dropped.
            Ok(Some(request)) => drop(requests.send(request)),
            Ok(None) => {}
            Err(e) => return Err(Diagnostic::error(Code::Io, format!("{address}: {e}")).into()),
        }
    }
    Ok(exit::OK)
}

/// Begins a thread that answers requests. It ends with the program, whatever it makes then: a stop does not wait for a page.
fn answering(mut pages: Pages) -> Result<mpsc::Sender<Request>, Diagnostics> {
    let (sender, requests) = mpsc::channel::<Request>();
    let work = move || {
        for request in requests {
            let answer = pages.answer(&request);
            // A browser that went away needs no answer.
            drop(request.respond(answer));
        }
    };
    let begun = std::thread::Builder::new().name("pages".into()).spawn(work);
    begun.map(|_| sender).map_err(|e| Diagnostic::error(Code::Io, format!("a thread for pages: {e}")).into())
}

fn no_port(port: u16, why: &dyn std::fmt::Display) -> Diagnostics {
    let message = format!("port {port} of this machine cannot be used: {why}");
    Diagnostic::error(Code::Io, message).help("leave out --port to get a free one").into()
}

/// The pages of the runs.
struct Pages {
    args: ViewArgs,
    port: u16,
    /// The last page, and the sizes of the files that it was made from.
    last: Option<(String, String)>,
}

impl Pages {
    /// The answer to a request: the page, or what its tables are like now.
    fn answer(&mut self, request: &Request) -> Answer {
        if !is_from_here(request, self.port) {
            return text(403, "this page is for the browser of this machine");
        }
        match (request.method(), request.url()) {
            (Method::Get, "/") => self.page(false),
            (Method::Get, "/page") => self.page(true),
            // Browsers ask for it unasked.
            (Method::Get, "/favicon.ico") => text(204, ""),
            (Method::Get, "/state") => text(200, &state(&self.args)),
            (Method::Get, _) => text(404, "there is nothing here"),
            _ => text(405, "there is nothing to change here"),
        }
    }

    /// The page, one that waits, or what is wrong: as a page that asks again, or as text for the scripts of a page that is there.
    fn page(&mut self, for_scripts: bool) -> Answer {
        let now = state(&self.args);
        if let Some((_, page)) = self.last.as_ref().filter(|(then, _)| *then == now) {
            return html(200, page);
        }
        match made(&self.args) {
            Ok(Some(page)) => {
                let answer = html(200, &page);
                self.last = Some((now, page));
                answer
            }
            Ok(None) if for_scripts => text(503, waits_for(&self.args)),
            Ok(None) => html(200, &waiting(waits_for(&self.args))),
            Err(why) if for_scripts => text(503, &why.render_text(false)),
            Err(why) => html(503, &waiting(&why.render_text(false))),
        }
    }
}

/// Reason why a run shows no state yet.
fn waits_for(args: &ViewArgs) -> &'static str {
    let runs = view_page::opened(args).unwrap_or_default();
    match runs.iter().any(RunFiles::is_read_at_its_end) {
        true => {
            "A run records Parquet, which can be read once it has ended: to follow a run set `record.format` to `csv`."
        }
        false => "No state is recorded yet.",
    }
}

/// The page of what is recorded, a part of it where that is much; none while a run has no state.
fn made(args: &ViewArgs) -> Result<Option<String>, Diagnostics> {
    let runs = view_page::opened(args)?;
    let begun = runs.iter().map(RunFiles::has_states).collect::<Result<Vec<_>, _>>()?;
    if begun.contains(&false) {
        return Ok(None);
    }
    let most = MOST_READ / runs.len() as u64;
    let runs = runs.into_iter().map(|run| run.thinned(most)).collect::<Result<Vec<_>, _>>()?;
    view_page::made(&runs, args, true).map(Some)
}

/// Returns true if the browser asked for this machine by its own name: a page of somebody else, whose name was made to lead here,
/// reads nothing.
fn is_from_here(request: &Request, port: u16) -> bool {
    let host = request.headers().iter().find(|header| header.field.equiv("Host"));
    let host = host.map(|header| header.value.as_str().to_owned());
    [format!("127.0.0.1:{port}"), format!("localhost:{port}")].map(Some).contains(&host)
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
