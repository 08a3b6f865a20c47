//! Arguments of the commands that hand results on: `bundle` and `rerun`.

use std::path::PathBuf;

use clap::Args;

use super::SearchArgs;

/// Arguments of `bundle`.
#[derive(Debug, Clone, Args)]
pub struct BundleArgs {
    /// Directory that `vinci run` or `vinci compare` wrote.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Write the bundle here; default DIR.zip.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace a file that is there.
    #[arg(short, long)]
    pub force: bool,
}

/// Arguments of `rerun`.
#[derive(Debug, Clone, Args)]
pub struct RerunArgs {
    /// The bundle, or a directory of results.
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,
    /// Keep the new runs in this directory; without it they are removed.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
}
