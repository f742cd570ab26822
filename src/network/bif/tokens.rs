//! Words and punctuation of a BIF file.

use std::borrow::Cow;

use crate::Error;

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
            Self::Word(word) => write!(f, "'{word}'"),
            Self::Mark(mark) => write!(f, "'{mark}'"),
            Self::End => f.write_str("the end of the file"),
        }
    }
}

/// Whether a byte is punctuation.
pub(super) fn is_mark(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'|' | b',' | b';')
}

/// Reads tokens one by one.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'t> {
    text: &'t str,
    /// Where the next token is looked for.
    at: usize,
    /// Where the last token began.
    pub(super) start: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, at, start: at }
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

    /// Skips to behind the next `;`, whatever is before it.
    pub(super) fn skip_statement(&mut self) -> Result<(), Error> {
        match self.text[self.at..].find(';') {
            Some(length) => {
                self.at += length + 1;
                Ok(())
            }
            None => Err(self.error("this line never ends: a ';' is missing")),
        }
    }

    /// Skips a block: to behind the `}` that matches the next `{`.
    pub(super) fn skip_block(&mut self) -> Result<(), Error> {
        let begin = self.start;
        let mut depth = 0usize;
        loop {
            match self.next()? {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') if depth == 0 => return Err(self.error("a '}' that closes nothing")),
                Token::Mark('}') if depth == 1 => return Ok(()),
                Token::Mark('}') => depth -= 1,
                // Only a statement of the block itself may be a property; names and states may have that name.
                Token::Word(word) if depth == 1 && word == "property" => self.skip_statement()?,
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
