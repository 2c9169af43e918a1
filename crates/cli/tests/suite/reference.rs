//! The list of commands and options in `docs/cli.md`, which is written from their help.

use std::collections::BTreeMap;
use std::path::Path;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command};

/// The list follows this line of the page.
const MARK: &str = "<!-- Written from the help by crates/cli/tests/suite/reference.rs -->\n";
/// If this variable is set, the test writes the list.
const WRITE: &str = "SPINDRIFT_WRITE_REFERENCE";
/// An option that this many sections have is listed once for all of them.
const SHARED: usize = 3;

/// The form of an option, such as `--app <NAME>`, and its meaning.
type Entry = (String, String);

/// A command such as `publish`, or all commands that begin with a word, such as `app`.
struct Section {
    name: String,
    commands: Vec<Leaf>,
}

/// A command that has no others below it.
struct Leaf {
    /// Its words after the name of the section.
    name: String,
    /// All its words and its positional arguments.
    usage: String,
    about: String,
    options: Vec<Entry>,
}

impl Section {
    fn new(command: &Command) -> Self {
        Self { name: command.get_name().to_owned(), commands: leaves(command, &[]) }
    }

    /// All options in the order of the help, each with the commands that have it.
    fn options(&self) -> Vec<(&Entry, Vec<String>)> {
        let mut all: Vec<(&Entry, Vec<String>)> = Vec::new();
        for command in &self.commands {
            for option in &command.options {
                match all.iter_mut().find(|(other, _)| *other == option) {
                    Some((_, commands)) => commands.push(code(&command.name)),
                    None => all.push((option, vec![code(&command.name)])),
                }
            }
        }
        all
    }

    fn render(&self, shared: &BTreeMap<&Entry, Vec<String>>) -> String {
        let mut text = format!("\n### `spindrift {}`\n\n", self.name);
        let commands = self.commands.iter().map(|leaf| format!("- `{}`: {}\n", leaf.usage, leaf.about));
        text.extend(commands);
        let own = self.options().into_iter().filter(|(option, _)| !shared.contains_key(option));
        text.extend(own.map(|(option, commands)| {
            let of_all = commands.len() == self.commands.len();
            line(option, if of_all { &[] } else { &commands })
        }));
        text
    }
}

impl Leaf {
    fn new(command: &Command, path: &[&str]) -> Self {
        let arguments = command.get_arguments();
        let own =
            arguments.filter(|arg| !arg.is_global_set() && !arg.is_hide_set() && arg.get_id() != "help");
        let (positionals, options): (Vec<&Arg>, Vec<&Arg>) = own.partition(|arg| arg.is_positional());
        let words = path.iter().map(|word| (*word).to_owned());
        let usage: Vec<String> = words.chain(positionals.iter().map(ToString::to_string)).collect();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        Self {
            name: path[1..].join(" "),
            usage: usage.join(" "),
            about: first_sentence(&about).to_owned(),
            options: options.into_iter().map(entry).collect(),
        }
    }
}

fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
}

fn leaves(command: &Command, path: &[&str]) -> Vec<Leaf> {
    let path = [path, &[command.get_name()]].concat();
    if command.has_subcommands() {
        subcommands(command).flat_map(|inner| leaves(inner, &path)).collect()
    } else {
        vec![Leaf::new(command, &path)]
    }
}

fn entry(arg: &Arg) -> Entry {
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut meaning = first_sentence(&help).to_owned();
    let mut notes = Vec::new();
    let is_list = meaning.contains("repeated") || meaning.contains("separated");
    if matches!(arg.get_action(), ArgAction::Append) && !is_list {
        notes.push("repeatable".to_owned());
    }
    let values = arg.get_possible_values();
    let values: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    if values != ["true", "false"] && !values.iter().all(|value| meaning.contains(*value)) {
        let values: Vec<String> = values.into_iter().map(code).collect();
        meaning = format!("{meaning}: {}", values.join(", "));
    }
    let defaults = arg.get_default_values().iter().map(|value| value.to_string_lossy());
    let defaults: Vec<_> = defaults.collect();
    if arg.get_action().takes_values() && !defaults.is_empty() {
        notes.push(format!("default {}", code(&defaults.join(" "))));
    }
    notes.extend(arg.get_env().map(|name| code(&name.to_string_lossy())));
    if !notes.is_empty() {
        meaning = format!("{meaning} ({})", notes.join(", "));
    }
    (format!("{short}{arg}"), meaning)
}

/// The text up to the first period that ends a sentence. An ellipsis does not.
fn first_sentence(text: &str) -> &str {
    let mut ends = text.match_indices(". ").map(|(at, _)| at);
    ends.find(|at| !text[..*at].ends_with('.')).map_or(text, |end| &text[..end])
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The line of an option, with the commands that have it, unless that goes without saying.
fn line((form, meaning): &Entry, commands: &[String]) -> String {
    let commands = if commands.is_empty() { String::new() } else { format!(" ({})", commands.join(", ")) };
    format!("- `{form}`{commands}: {meaning}\n")
}

fn reference(root: &Command) -> String {
    let sections: Vec<Section> = subcommands(root).map(Section::new).collect();
    let mut shared: BTreeMap<&Entry, Vec<String>> = BTreeMap::new();
    for section in &sections {
        for (option, _) in section.options() {
            shared.entry(option).or_default().push(code(&section.name));
        }
    }
    shared.retain(|_, sections| sections.len() >= SHARED);
    let mut text = "\nEvery command has these options:\n\n".to_owned();
    let of_all = root.get_arguments().filter(|arg| arg.is_global_set());
    text.extend(of_all.map(|arg| line(&entry(arg), &[])));
    text += "\nThese options belong to several commands or groups of commands:\n\n";
    text.extend(shared.iter().map(|(option, sections)| line(option, sections)));
    text.extend(sections.iter().map(|section| section.render(&shared)));
    text
}

#[test]
fn the_page_lists_all_commands() {
    let mut root = spindrift_cli::command();
    root.build();
    let reference = reference(&root);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let (by_hand, listed) = page.split_once(MARK).unwrap();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&file, [by_hand, MARK, &reference].concat()).unwrap();
    } else {
        assert!(listed == reference, "docs/cli.md differs from the help: run this test with {WRITE}=1");
    }
}

#[test]
fn sentences_end_at_a_period() {
    for (text, first) in [
        ("One", "One"),
        ("One, like 1.2.3. Two", "One, like 1.2.3"),
        ("`deb`, `dmg`, ... by default one. Two", "`deb`, `dmg`, ... by default one"),
    ] {
        assert_eq!(first_sentence(text), first);
    }
}
