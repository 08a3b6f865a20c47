//! The C header, written from the types of the contract: their layouts as abi_stable tells them, their words from the sources.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use abi_stable::StableAbi;
use abi_stable::type_layout::{TLData, TLField, TypeLayout};

use super::source::Sources;
use super::v1::PluginV1;
use crate::codes;

type Layout = &'static TypeLayout;

const START: &str = "\
/* The binary contract of Vinci for plugins in C and C++.
 *
 * Written from the types of the crate vinci-abi; do not edit. A plugin is a shared library that exports the table vinci_plugin_v1, the
 * last declaration of this file. Arrays in arguments live until the call returns, arrays in results until the next call on the same
 * instance; nobody frees what the other made. An instance is made, called and destroyed on one thread. Functions give VINCI_OK, or
 * VINCI_REFUSED with the reason in their error text. No C++ exception and no longjmp may leave a function. */

#ifndef VINCI_PLUGIN_H
#define VINCI_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif

#if defined(__GNUC__)
#define VINCI_EXPORT __attribute__((visibility(\"default\")))
#else
#define VINCI_EXPORT
#endif
";

const END: &str = "
/* The one symbol that a plugin exports. */
extern VINCI_EXPORT const VinciPluginV1 vinci_plugin_v1;

#ifdef __cplusplus
}
#endif

#endif
";

/// Kinds of codes: enum of core, prefix in C.
const ENUMS: [(&str, &str); 9] = [
    ("Space", "SPACE"),
    ("ShapeKind", "SHAPE"),
    ("DofRole", "DOF"),
    ("MotionModel", "MOTION"),
    ("BlockKind", "BLOCK"),
    ("ProblemClass", "CLASS"),
    ("Part", "PART"),
    ("Status", "STATUS"),
    ("Verdict", "VERDICT"),
];

/// The text of `sdk/c/vinci_plugin.h`, from the sources below `root`, the folder of the repository.
///
/// # Errors
/// Of reading the sources.
pub fn header(root: &Path) -> std::io::Result<String> {
    let sources = Sources::read(root)?;
    let mut out = START.to_owned();
    constants(&mut out, &sources);
    let mut structs = Structs { done: BTreeSet::new(), out, checks: String::new(), sources };
    structs.visit(<PluginV1 as StableAbi>::LAYOUT);
    let Structs { mut out, checks, .. } = structs;
    out += "\n/* Sizes and offsets that the host has, bytes: the compiler compares them with its own. */\n";
    out += "#if UINTPTR_MAX == 0xffffffffffffffffu\n#ifdef __cplusplus\n#define VINCI_HOLDS(x) static_assert(x, #x)\n";
    out += "#else\n#define VINCI_HOLDS(x) _Static_assert(x, #x)\n#endif\n";
    Ok(out + &checks + "#undef VINCI_HOLDS\n#endif\n" + END)
}

fn constants(out: &mut String, sources: &Sources) {
    let mut define = |name: String, value: &str, doc: &[String]| {
        *out += &comment(doc, "");
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "#define VINCI_{name} {value}");
    };
    for (name, value, doc) in sources.constants("CONTRACT_VERSION", "CONTRACT") {
        define(name, &format!("({value}u)"), &doc);
    }
    for (name, value, doc) in sources.constants("OK", "pub mod channel") {
        define(name, &value, &doc);
    }
    let kinds = sources.variants("ErrorKind");
    for code in 1.. {
        let kind = codes::kind_from_code(code);
        if codes::kind_code(kind) != code {
            break;
        }
        let (name, doc) = (format!("{kind:?}"), kinds.iter().find(|v| v.0 == format!("{kind:?}")));
        define(format!("KIND_{}", upper(&name)), &format!("{code}u"), doc.map_or(&[], |v| &v.2));
    }
    for (of, prefix) in ENUMS {
        for (name, value, doc) in sources.variants(of) {
            define(format!("{prefix}_{}", upper(&name)), &format!("{value}u"), &doc);
        }
    }
    for (name, value, doc) in sources.constants("M", "#[cfg(test)]") {
        define(format!("CHANNEL_{name}"), &format!("{value}u"), &doc);
    }
    for (name, value, doc) in sources.root_calls() {
        define(format!("ROOT_{name}"), &format!("{value}u"), &doc);
    }
    for name in ["NO_NORMAL", "NO_GROUP", "NO_COORDINATE", "UNTAGGED"] {
        define(name.into(), "UINT32_MAX", &[format!("No {}.", name[2..].trim_matches('_').to_lowercase())]);
    }
}

/// Structs in an order in which each stands after those it is made of.
struct Structs {
    done: BTreeSet<String>,
    out: String,
    checks: String,
    sources: Sources,
}

impl Structs {
    fn visit(&mut self, layout: Layout) {
        element(layout).into_iter().for_each(|of| self.visit(of));
        let TLData::Struct { fields } = layout.data() else { return };
        if layout.name() == "c_void" {
            return;
        }
        let name = c_type(layout);
        if !self.done.insert(name.clone()) {
            return;
        }
        for field in fields.iter() {
            self.visit(field.layout());
            for function in field.function_range().iter() {
                function.param_type_layouts.iter().for_each(|of| self.visit(of()));
                function.return_type_layout().into_iter().for_each(|of| self.visit(of()));
            }
        }
        let fields: Vec<TLField> = fields.iter().collect();
        self.write(layout, &name, &fields);
        self.check(layout, &name, &fields);
    }

    fn write(&mut self, layout: Layout, name: &str, fields: &[TLField]) {
        let (whole, docs) = self.sources.fields(layout.name());
        let _ = write!(self.out, "\n{}typedef struct {name} {{\n", comment(&whole, ""));
        for field in fields {
            let doc = docs.iter().find(|(of, _)| of == field.name());
            self.out += &comment(doc.map_or(&[], |d| &d.1), "    ");
            let _ = writeln!(self.out, "    {};", declaration(field));
        }
        let _ = writeln!(self.out, "}} {name};");
    }

    fn check(&mut self, layout: Layout, name: &str, fields: &[TLField]) {
        let _ = writeln!(self.checks, "VINCI_HOLDS(sizeof({name}) == {});", layout.size());
        let mut at = 0_usize;
        for field in fields {
            let of = field.layout();
            at = at.next_multiple_of(of.alignment());
            let _ = writeln!(self.checks, "VINCI_HOLDS(offsetof({name}, {}) == {at});", c_name(field.name()));
            at += of.size();
        }
    }
}

/// `uint32_t n`, or a pointer to a function of this name.
fn declaration(field: &TLField) -> String {
    let name = c_name(field.name());
    let Some(function) = field.function_range().iter().next() else {
        return declared(field.layout(), &name);
    };
    let names = function.param_names.as_str().split([',', ';']).map(str::trim);
    let parameters = function.param_type_layouts.iter().zip(names.chain(std::iter::repeat("")));
    let parameters: Vec<String> = parameters
        .map(|(of, name)| declared(of(), if name.starts_with("param_") { "" } else { name }))
        .collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let gives = function.return_type_layout().map_or("void".to_owned(), |of| c_type(of()));
    format!("{} (*{name})({parameters})", gives.trim_end())
}

fn declared(layout: Layout, name: &str) -> String {
    let kind = c_type(layout);
    let between = if kind.ends_with('*') { "" } else { " " };
    format!("{kind}{between}{name}").trim_end().to_owned()
}

/// C++ keeps some words for itself.
fn c_name(name: &str) -> String {
    if name == "class" { "class_".into() } else { name.into() }
}

fn c_type(layout: Layout) -> String {
    let inner = element(layout).map(c_type).unwrap_or_default();
    match layout.name() {
        "f64" => "double".into(),
        "usize" => "size_t".into(),
        "c_void" => "void".into(),
        "*const" => format!("const {inner} *"),
        "*mut" => format!("{inner} *"),
        name @ ("u8" | "u32" | "u64") => format!("uint{}_t", &name[1..]),
        name @ ("i32" | "i64") => format!("int{}_t", &name[1..]),
        name => format!("Vinci{name}{}", element(layout).map(short).unwrap_or_default()),
    }
}

/// Type that a pointer points to, or that an array holds.
fn element(layout: Layout) -> Option<Layout> {
    match layout.data() {
        TLData::Struct { fields } if layout.name().starts_with("Slice") => element(fields.get(0)?.layout()),
        _ => layout.generics().type_params().first().map(|of| of()),
    }
}

/// A type as the end of the name of another.
fn short(layout: Layout) -> String {
    let inner = element(layout).map(short).unwrap_or_default();
    let mut name = layout.name().to_owned();
    name[..1].make_ascii_uppercase();
    name + &inner
}

/// `NumericalFailure` as `NUMERICAL_FAILURE`.
fn upper(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

fn comment(lines: &[String], indent: &str) -> String {
    if lines.is_empty() {
        return String::new();
    }
    format!("{indent}/* {} */\n", lines.join(&format!("\n{indent} * ")))
}
