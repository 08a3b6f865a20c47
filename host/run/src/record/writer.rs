//! The writer of tables, a thread beside the run: encoding, hashing and writing take longer than the steps of small scenes.
//!
//! Batches of rows go through a bounded queue in the order in which the run makes them, so files have the same bytes wherever the queue
//! stands. Empty batches come back: once warm nothing is allocated. An error ends the writer, and is told by whatever the run asks of it next.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::sheet::{Sealed, Sheet};
use crate::sealed::Synced;

/// Orders that wait at most: the run waits where the disk is slower.
const QUEUE: usize = 64;

/// Batches after which the run wakes the writer: that takes as long as filling one of them.
const WAKE: usize = 16;

/// How long rows that nobody waits for may lie in the queue.
const PAUSE: Duration = Duration::from_millis(20);

/// Requests of the run to the writer.
enum Order {
    Open(Box<Sheet>),
    /// Rows for the table of this number.
    Add(usize, Vec<u64>),
    Sync(SyncSender<Synced>),
    Seal,
}

/// The run's hold on its writer. The thread ends with it; tables that are not sealed then stay unfinished.
pub(super) struct Writer {
    orders: Option<SyncSender<Order>>,
    empty: Receiver<Vec<u64>>,
    opened: usize,
    /// Batches since the writer was woken.
    quiet: usize,
    thread: Option<JoinHandle<io::Result<Sealed>>>,
}

impl Writer {
    /// # Errors
    /// The system makes no thread.
    pub(super) fn begin() -> io::Result<Self> {
        let (orders, received) = sync_channel(QUEUE);
        let (emptied, empty) = sync_channel(QUEUE);
        let name = "tables".to_owned();
        let thread = Builder::new().name(name).spawn(move || write(&received, &emptied))?;
        Ok(Self { orders: Some(orders), empty, opened: 0, quiet: 0, thread: Some(thread) })
    }

    /// Takes a table over; its number.
    ///
    /// # Errors
    /// What ended the writer.
    pub(super) fn open(&mut self, sheet: Sheet) -> io::Result<usize> {
        self.order(Order::Open(Box::new(sheet)))?;
        self.opened += 1;
        Ok(self.opened - 1)
    }

    /// Adds rows to a table, and leaves an empty list in their place.
    ///
    /// # Errors
    /// What ended the writer.
    pub(super) fn add(&mut self, table: usize, cells: &mut Vec<u64>) -> io::Result<()> {
        let empty = self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(cells.capacity()));
        self.order(Order::Add(table, std::mem::replace(cells, empty)))?;
        self.quiet += 1;
        if self.quiet == WAKE {
            self.wake();
        }
        Ok(())
    }

    /// Brings all that was added to the disk.
    ///
    /// # Errors
    /// What ended the writer.
    pub(super) fn sync(&mut self) -> io::Result<Synced> {
        let (reply, synced) = sync_channel(1);
        self.order(Order::Sync(reply))?;
        self.wake();
        synced.recv().map_err(|_| self.ended())
    }

    /// Gives the tables their names.
    ///
    /// # Errors
    /// What ended the writer.
    pub(super) fn seal(mut self) -> io::Result<Sealed> {
        self.order(Order::Seal)?;
        self.joined()
    }

    fn order(&mut self, order: Order) -> io::Result<()> {
        let sent = self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok());
        if sent { Ok(()) } else { Err(self.ended()) }
    }

    fn wake(&mut self) {
        self.quiet = 0;
        self.thread.iter().for_each(|thread| thread.thread().unpark());
    }

    /// Reason why the writer ended before its time.
    fn ended(&mut self) -> io::Error {
        let early = || io::Error::other("the writer of the tables has ended before its time");
        self.joined().err().unwrap_or_else(early)
    }

    /// The end of the thread, told once.
    fn joined(&mut self) -> io::Result<Sealed> {
        self.orders = None;
        self.wake();
        let Some(thread) = self.thread.take() else {
            return Err(io::Error::other("the writer of the tables has ended"));
        };
        thread.join().unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let words = words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(io::Error::other(format!("the writer of the tables panicked, an error of Vinci: {words}")))
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.joined());
    }
}

/// Does as it is told, until the tables are sealed or nobody asks any more.
fn write(orders: &Receiver<Order>, emptied: &SyncSender<Vec<u64>>) -> io::Result<Sealed> {
    let mut sheets: Vec<Sheet> = Vec::new();
    while let Some(order) = next(orders) {
        match order {
            Order::Open(sheet) => sheets.push(*sheet),
            Order::Add(table, mut cells) => {
                sheets[table].add(&cells)?;
                cells.clear();
                // The emptied batch is filled again; where the queue of such batches is full it is dropped.
                drop(emptied.try_send(cells));
            }
            // The receiver of the reply may be gone.
            Order::Sync(reply) => drop(reply.send(Sheet::sync(&mut sheets)?)),
            Order::Seal => return Sheet::seal(sheets),
        }
    }
    Ok(Sealed::default())
}

/// The next order; none where nobody can give any. A writer that waits on the queue itself would be woken for every batch.
fn next(orders: &Receiver<Order>) -> Option<Order> {
    loop {
        match orders.try_recv() {
            Ok(order) => return Some(order),
            Err(TryRecvError::Empty) => std::thread::park_timeout(PAUSE),
            Err(TryRecvError::Disconnected) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vinci_scene::experiment::TableFormat;

    use super::super::rows::{BATCH, Rows};
    use super::*;
    use crate::sealed::Tables;
    use crate::table::{Column, RowTable};

    fn rows(writer: &mut Writer, directory: &std::path::Path, name: &str) -> Rows {
        let columns = [Column::numbers("time", "s"), Column::words("body")];
        let words: Arc<[String]> = ["block".to_owned()].into();
        let to = (TableFormat::Csv, name);
        let table = RowTable::open(&Tables::new(directory), to, &columns, words).unwrap();
        Rows::of(writer.open(Sheet { table, hash: None }).unwrap(), columns.len())
    }

    fn row(rows: &mut Rows, writer: &mut Writer, (t, word): (usize, usize)) -> io::Result<()> {
        rows.number(t as f64);
        rows.word(word);
        rows.end_row(writer)
    }

    /// More batches than the queue holds, of two tables in turn.
    #[test]
    fn rows_come_out_in_their_order_and_batches_come_back() {
        let (dir, n) = (tempfile::tempdir().unwrap(), 3 * QUEUE * BATCH / 2);
        let mut writer = Writer::begin().unwrap();
        let mut tables = ["a", "b"].map(|name| rows(&mut writer, dir.path(), name));
        for t in 0..n {
            tables.iter_mut().for_each(|rows| row(rows, &mut writer, (t, 0)).unwrap());
        }
        tables.iter_mut().for_each(|rows| rows.hand_over(&mut writer).unwrap());
        assert_eq!(writer.sync().unwrap().sums.len(), 2);
        assert!(writer.empty.try_iter().count() > 0);
        let (sealed, _) = writer.seal().unwrap();
        assert!(sealed[0].1 == sealed[1].1, "{sealed:?}");
        let text = std::fs::read_to_string(dir.path().join("b.csv")).unwrap();
        let times: Vec<f64> =
            text.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect();
        assert_eq!(times, (0..n).map(|t| t as f64).collect::<Vec<_>>());
    }

    /// It would otherwise end the program, or leave the run waiting for it.
    #[test]
    fn a_panic_of_the_writer_is_an_error_of_the_run() {
        let dir = tempfile::tempdir().unwrap();
        let told = |ask: &dyn Fn(&mut Writer, &mut Rows) -> io::Result<()>| {
            let mut writer = Writer::begin().unwrap();
            let mut rows = rows(&mut writer, dir.path(), "a");
            // A word that is not in the list.
            row(&mut rows, &mut writer, (0, 7)).unwrap();
            rows.hand_over(&mut writer).unwrap();
            let error = ask(&mut writer, &mut rows).unwrap_err().to_string();
            assert!(
                error.contains("the writer of the tables panicked") && error.contains("index"),
                "{error}"
            );
            let later = writer.sync().unwrap_err().to_string();
            assert_eq!(later, "the writer of the tables has ended");
            assert!(!dir.path().join("a.csv").exists() && dir.path().join("a.csv.part").exists());
        };
        told(&|writer, _| writer.sync().map(drop));
        told(&|writer, rows| (0..(QUEUE + 2) * BATCH).try_for_each(|t| row(rows, writer, (t, 0))));
    }
}
