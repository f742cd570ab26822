//! Words and punctuation of a BIF file.

use std::borrow::Cow;

use crate::Error;
use crate::run::Run;

/// A piece of the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'t> {
    /// A word, number or quoted text.
    Word(Cow<'t, str>),
    /// One of `{ } ( ) [ ] | , ;`.
    Mark(char),
    /// The end of the text.
    End,
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Word(word) => write!(f, "'{}'", shown(word)),
            Self::Mark(mark) => write!(f, "'{mark}'"),
            Self::End => f.write_str("the end of the file"),
        }
    }
}

/// Whether a byte is punctuation.
pub(super) fn is_mark(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'|' | b',' | b';')
}

/// How many letters of a word messages show.
const SHOWN: usize = 60;

/// A word as messages show it: the beginning of a very long one.
pub(super) fn shown(word: &str) -> Cow<'_, str> {
    match word.char_indices().nth(SHOWN) {
        None => Cow::Borrowed(word),
        Some((end, _)) => Cow::Owned(format!("{}…", &word[..end])),
    }
}

/// After so many tokens the run is asked whether to go on.
const BETWEEN_CHECKS: u32 = 4096;

/// Reads tokens one by one.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'t> {
    text: &'t str,
    /// Where the next token is looked for.
    at: usize,
    /// Where the last token began.
    pub(super) start: usize,
    run: Option<&'t Run>,
    until_check: u32,
}

impl<'t> Tokens<'t> {
    /// A run, if there is one, can stop the reading.
    pub(super) fn new(text: &'t str, run: Option<&'t Run>) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, at, start: at, run, until_check: BETWEEN_CHECKS }
    }

    /// Whether the last token was in quotes: then it is a name, never a word of the grammar.
    pub(super) fn is_quoted(&self) -> bool {
        self.text.as_bytes().get(self.start) == Some(&b'"')
    }

    /// The error that something is wrong at a position.
    pub(super) fn error_at(&self, position: usize, problem: impl Into<String>) -> Error {
        let before = &self.text[..position];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Error::Parse {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            problem: problem.into(),
        }
    }

    /// The error that something is wrong with the last token.
    pub(super) fn error(&self, problem: impl Into<String>) -> Error {
        self.error_at(self.start, problem)
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token<'t>, Error> {
        self.until_check -= 1;
        if self.until_check == 0 {
            self.until_check = BETWEEN_CHECKS;
            if let Some(run) = self.run {
                run.check()?;
            }
        }
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b) if b.is_ascii_whitespace() => self.at += 1,
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'/') => {
                    self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
                }
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'*') => {
                    let Some(length) = self.text[self.at + 2..].find("*/") else {
                        return Err(self.error_at(self.at, "this comment is never closed"));
                    };
                    self.at += length + 4;
                }
                _ => break,
            }
        }
        self.start = self.at;
        match bytes.get(self.at) {
            None => Ok(Token::End),
            Some(b'"') => self.quoted(),
            Some(&b) if is_mark(b) => {
                self.at += 1;
                Ok(Token::Mark(char::from(b)))
            }
            Some(_) => {
                while bytes.get(self.at).is_some_and(|&b| !b.is_ascii_whitespace() && !is_mark(b)) {
                    self.at += 1;
                }
                Ok(Token::Word(Cow::Borrowed(&self.text[self.start..self.at])))
            }
        }
    }

    fn quoted(&mut self) -> Result<Token<'t>, Error> {
        let inside = &self.text[self.start + 1..];
        let mut text = String::new();
        let mut escaped = false;
        for (i, c) in inside.char_indices() {
            match c {
                '"' if !escaped => {
                    self.at = self.start + i + 2;
                    return Ok(Token::Word(Cow::Owned(text)));
                }
                '\\' if !escaped => escaped = true,
                c => {
                    if escaped && c != '"' && c != '\\' {
                        text.push('\\');
                    }
                    text.push(c);
                    escaped = false;
                }
            }
        }
        Err(self.error("this quotation is never closed"))
    }

    /// Skips to behind the next `;` that is not in quotes, whatever else is before it.
    ///
    /// Only a quotation mark at the beginning of a word opens a quotation, and only if it is closed: the text of a
    /// property is free.
    pub(super) fn skip_statement(&mut self) -> Result<(), Error> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b';' => {
                    self.at = at + 1;
                    return Ok(());
                }
                b'"' if at == 0 || bytes[at - 1].is_ascii_whitespace() || is_mark(bytes[at - 1]) => {
                    at = end_of_quotation(bytes, at).unwrap_or(at + 1);
                }
                _ => at += 1,
            }
        }
        Err(self.error("this line never ends: a ';' is missing"))
    }

    /// Skips a block: to behind the `}` that matches the next `{`.
    pub(super) fn skip_block(&mut self) -> Result<(), Error> {
        let begin = self.start;
        let mut depth = 0usize;
        let mut at_statement = false;
        loop {
            let token = self.next()?;
            let begins = std::mem::replace(&mut at_statement, matches!(token, Token::Mark('{' | '}' | ';')));
            match token {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') if depth == 0 => return Err(self.error("a '}' that closes nothing")),
                Token::Mark('}') if depth == 1 => return Ok(()),
                Token::Mark('}') => depth -= 1,
                // Only a statement of the block itself may be a property; names and states may have that name.
                Token::Word(word) if depth == 1 && begins && word == "property" && !self.is_quoted() => {
                    self.skip_statement()?;
                    at_statement = true;
                }
                Token::End => return Err(self.error_at(begin, "this block is never closed: the file is truncated")),
                _ => {}
            }
        }
    }

    /// The next token, which must be this mark.
    pub(super) fn expect(&mut self, mark: char) -> Result<(), Error> {
        match self.next()? {
            Token::Mark(found) if found == mark => Ok(()),
            other => Err(self.error(format!("expected '{mark}', found {other}"))),
        }
    }

    /// The next token, which must be a word.
    pub(super) fn word(&mut self, what: &str) -> Result<Cow<'t, str>, Error> {
        match self.next()? {
            Token::Word(word) => Ok(word),
            other => Err(self.error(format!("expected {what}, found {other}"))),
        }
    }
}

/// The position behind the quotation that begins at `start`, if it is closed.
fn end_of_quotation(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
