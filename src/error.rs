//! The one error type of the crate.

/// Why a computation could not be done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has a value that it cannot have.
    #[error("{parameter}: {problem}")]
    Parameter {
        /// Name of the parameter, as the user spells it.
        parameter: &'static str,
        /// What is wrong and how to mend it.
        problem: String,
    },
    /// The data cannot be used.
    #[error("{0}")]
    Data(String),
    /// Columns of the data cannot be used.
    #[error("columns {} {problem}", list(.columns))]
    Columns {
        /// The columns, by index.
        columns: Vec<crate::Variable>,
        /// What is wrong with them and how to mend it, to follow their names.
        problem: String,
    },
    /// Another error, about variables: its text has a `{}` for each of them in turn, where a name goes.
    #[error("{}", with_names(&.error.to_string(), .variables))]
    About {
        /// What is wrong.
        error: Box<Error>,
        /// The variables, by index.
        variables: Vec<crate::Variable>,
    },
    /// A graph is not what the computation needs (a cycle, an unknown variable, no consistent extension).
    #[error("{0}")]
    Graph(String),
    /// Background knowledge contradicts itself.
    #[error("{0}")]
    Knowledge(String),
    /// Text in a file cannot be parsed.
    #[error("line {line}, column {column}: {problem}")]
    Parse {
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What is wrong and how to mend it.
        problem: String,
    },
    /// The run was cancelled.
    #[error("interrupted")]
    Interrupted,
    /// The deadline of the run is past, and nothing of use can be returned.
    #[error("the time limit ended before there was anything to return")]
    OutOfTime,
    /// A limit of independence tests was reached: dependence is so dense that the tests would not end within it.
    #[error("the tests did not end within their limit: dependence is too dense for them")]
    TooManyTests,
}

impl Error {
    /// An [`Error::Parameter`].
    pub fn parameter(parameter: &'static str, problem: impl Into<String>) -> Self {
        Self::Parameter { parameter, problem: problem.into() }
    }

    /// The same error about these variables, in [`Error::About`].
    #[must_use]
    pub fn about(self, variables: impl IntoIterator<Item = crate::Variable>) -> Self {
        Self::About { error: Box::new(self), variables: variables.into_iter().collect() }
    }

    /// An [`Error::Columns`].
    pub fn columns(columns: Vec<crate::Variable>, problem: impl Into<String>) -> Self {
        Self::Columns { columns, problem: problem.into() }
    }
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Indices as text: `3, 5, 8`.
fn list(columns: &[crate::Variable]) -> String {
    columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A text with the indices of variables in place of each `{}`.
fn with_names(text: &str, variables: &[crate::Variable]) -> String {
    let mut parts = text.split("{}");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (part, x) in parts.zip(variables) {
        out.push_str(&format!("variable {x}{part}"));
    }
    out
}
