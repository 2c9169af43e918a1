//! The paths that a source file names, as absolute paths inside its crate.
//!
//! Files are read as Rust tokens, so the contents of macros count. Code compiled only for tests does not
//! count.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::slice::Iter;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The segments of a path from the root of the crate.
pub(crate) type Path = Vec<String>;

/// The paths and imports of a file.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Every path to an item of the file's own crate.
    pub(crate) paths: Vec<Path>,
    /// Names imported from the same crate, with the paths they stand for.
    pub(crate) imports: BTreeMap<String, Path>,
    /// Modules compiled only for tests.
    pub(crate) test_modules: Vec<Path>,
}

/// One path of a `use` tree or an expression: its segments, and the name that it is imported as.
struct Leaf {
    segments: Vec<String>,
    name: String,
}

struct PathReader<'a> {
    /// Whether a path from the root names a module.
    is_module: &'a dyn Fn(&[String]) -> bool,
    named: Named,
    /// Words used outside of `use` items.
    words: BTreeSet<String>,
    /// Names that the file re-exports. Whether the file also uses them itself is known only at the end.
    handed_on: Vec<(String, Path)>,
}

/// Reads the tokens of the file that contains `module`.
pub(crate) fn read(tokens: TokenStream, module: &[String], is_module: &dyn Fn(&[String]) -> bool) -> Named {
    let mut reader =
        PathReader { is_module, named: Named::default(), words: BTreeSet::new(), handed_on: Vec::new() };
    reader.scope(tokens, module, true);
    let PathReader { mut named, words, handed_on, .. } = reader;
    named.paths.extend(handed_on.into_iter().filter(|(name, _)| words.contains(name)).map(|(_, path)| path));
    named
}

impl PathReader<'_> {
    /// Reads the tokens between two braces, or of a whole file (`is_file`), in `module`.
    fn scope(&mut self, tokens: TokenStream, module: &[String], is_file: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = tokens.iter().peekable();
        let (mut in_tests, mut is_public, mut in_use) = (false, false, false);
        // A word after generic arguments, or after a value and a dot, does not begin a path.
        let (mut last, mut continues) = (' ', false);
        while let Some(token) = rest.next() {
            match token {
                TokenTree::Punct(punct) => {
                    in_use &= punct.as_char() != ';';
                    continues = matches!((last, punct.as_char()), (_, '.') | (':', ':'));
                    last = punct.as_char();
                    continue;
                }
                // The path in `pub(in crate::a)` does not count as a use.
                TokenTree::Group(group) if is_public && group.delimiter() == Delimiter::Parenthesis => {}
                TokenTree::Group(group) => {
                    in_tests |= is_test_attribute(&group.stream());
                    self.scope(group.stream(), module, false);
                }
                TokenTree::Ident(word) => match word.to_string().as_str() {
                    "pub" => is_public = true,
                    "mod" => {
                        self.module(&mut rest, module, in_tests);
                        in_tests = false;
                    }
                    "use" => in_use = true,
                    first => {
                        let leaves = leaves(first, &mut rest);
                        if in_use && is_file {
                            self.import(&leaves, module, is_public);
                        } else if !continues {
                            self.expression(&leaves, module);
                        }
                        is_public = false;
                    }
                },
                TokenTree::Literal(_) => {}
            }
            (last, continues) = (' ', false);
        }
    }

    /// Reads the tokens after `mod`.
    fn module(&mut self, rest: &mut Peekable<Iter<'_, TokenTree>>, parent: &[String], in_tests: bool) {
        let Some(TokenTree::Ident(name)) = rest.next() else { return };
        let module = [parent, &[name.to_string()]].concat();
        match rest.next() {
            Some(TokenTree::Group(body)) if !in_tests => self.scope(body.stream(), &module, false),
            Some(TokenTree::Punct(_)) if in_tests => self.named.test_modules.push(module),
            _ => {}
        }
    }

    fn import(&mut self, leaves: &[Leaf], module: &[String], is_public: bool) {
        for leaf in leaves {
            let Some(path) = self.absolute(&leaf.segments, module) else { continue };
            self.named.imports.insert(leaf.name.clone(), path.clone());
            if is_public {
                self.handed_on.push((leaf.name.clone(), path));
            } else {
                self.named.paths.push(path);
            }
        }
    }

    fn expression(&mut self, leaves: &[Leaf], module: &[String]) {
        for leaf in leaves {
            self.words.extend(leaf.segments.first().cloned());
            self.named.paths.extend(self.absolute(&leaf.segments, module));
        }
    }

    /// The absolute path. `None` if the path does not appear to be in this crate.
    fn absolute(&self, segments: &[String], module: &[String]) -> Option<Path> {
        let (first, rest) = segments.split_first()?;
        match first.as_str() {
            "crate" if !rest.is_empty() => Some(rest.to_vec()),
            "self" if !rest.is_empty() => Some([module, rest].concat()),
            "super" => {
                let ups = segments.iter().take_while(|segment| *segment == "super").count();
                let base = module.get(..module.len().checked_sub(ups)?)?;
                Some([base, &segments[ups..]].concat())
            }
            _ => {
                let child = [module, std::slice::from_ref(first)].concat();
                ((self.is_module)(&child) && !rest.is_empty()).then(|| [module, segments].concat())
            }
        }
    }
}

/// The path or tree of paths that begins with `first`.
fn leaves(first: &str, rest: &mut Peekable<Iter<'_, TokenTree>>) -> Vec<Leaf> {
    let mut segments = vec![first.to_owned()];
    loop {
        if !skip_colons(rest) {
            let name = renamed(rest).or_else(|| segments.last().cloned()).unwrap_or_default();
            return vec![Leaf { segments, name }];
        }
        match rest.peek() {
            Some(TokenTree::Ident(word)) => {
                segments.push(word.to_string());
                rest.next();
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                rest.next();
                return below(&segments, &inner);
            }
            // A glob, or generic arguments in an expression.
            _ => return vec![Leaf { segments, name: String::new() }],
        }
    }
}

/// The paths inside the braces of a `use` tree.
fn below(prefix: &[String], tokens: &[TokenTree]) -> Vec<Leaf> {
    let mut found = Vec::new();
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        let TokenTree::Ident(first) = token else { continue };
        for leaf in leaves(&first.to_string(), &mut rest) {
            let own: &[String] = if leaf.segments == ["self"] { &[] } else { &leaf.segments };
            let name = if own.is_empty() { prefix.last().cloned().unwrap_or_default() } else { leaf.name };
            found.push(Leaf { segments: [prefix, own].concat(), name });
        }
    }
    found
}

fn skip_colons(rest: &mut Peekable<Iter<'_, TokenTree>>) -> bool {
    let mut ahead = rest.clone();
    let is_colon =
        |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let found = is_colon(ahead.next()) && is_colon(ahead.next());
    if found {
        *rest = ahead;
    }
    found
}

/// The name after `as`.
fn renamed(rest: &mut Peekable<Iter<'_, TokenTree>>) -> Option<String> {
    let is_as = matches!(rest.peek(), Some(TokenTree::Ident(word)) if *word == "as");
    if !is_as {
        return None;
    }
    rest.next();
    rest.next().map(ToString::to_string)
}

fn is_test_attribute(tokens: &TokenStream) -> bool {
    tokens.to_string().replace(' ', "") == "cfg(test)"
}
