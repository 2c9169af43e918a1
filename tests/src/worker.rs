//! A script that answers one question after another.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

/// The process of a script. It ends when its questions do.
#[derive(Debug)]
pub(crate) struct Worker {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    pub(crate) fn start(command: &mut Command) -> Self {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = piped.spawn().expect("the language of the script");
        let questions = process.stdin.take().expect("a pipe");
        let answers = BufReader::new(process.stdout.take().expect("a pipe"));
        Self { process, questions, answers }
    }

    /// Sends a line of JSON and waits for one.
    pub(crate) fn ask(&mut self, question: &Value) -> Value {
        writeln!(self.questions, "{question}").expect("a script that reads");
        let mut line = String::new();
        let _bytes = self.answers.read_line(&mut line).expect("an answer in UTF-8");
        let answer = serde_json::from_str(&line);
        answer.unwrap_or_else(|error| panic!("{error}: {line}, {:?}", self.process.try_wait()))
    }
}
