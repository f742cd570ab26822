//! Each variant of [`crate::Error`] becomes a chosen Python exception.

use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::prelude::*;

use crate::Error;

create_exception!(phgs.errors, ParameterError, PyValueError, "A parameter has a value that it cannot have.");
create_exception!(phgs.errors, DataError, PyValueError, "The data cannot be used as they are.");
create_exception!(phgs.errors, GraphError, PyValueError, "A graph is not what the computation needs.");
create_exception!(phgs.errors, KnowledgeError, PyValueError, "Background knowledge contradicts itself or the data.");
create_exception!(phgs.errors, ParseError, PyValueError, "Text in a file cannot be parsed.");
create_exception!(phgs.errors, InternalError, PyRuntimeError, "A fault of phgs itself; please report it.");

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Parameter { .. } => ParameterError::new_err(message),
            Error::Data(_) => DataError::new_err(message),
            // The facade knows the names of the columns and makes one message of the parts.
            Error::Columns { columns, problem } => DataError::new_err((message, columns, problem)),
            // Likewise, of the names of variables.
            Error::About { error, variables } => {
                let template = error.to_string();
                match *error {
                    Error::Parameter { .. } => ParameterError::new_err((message, variables, template)),
                    Error::Knowledge(_) => KnowledgeError::new_err((message, variables, template)),
                    Error::Graph(_) => GraphError::new_err((message, variables, template)),
                    _ => DataError::new_err((message, variables, template)),
                }
            }
            Error::Graph(_) => GraphError::new_err(message),
            Error::Knowledge(_) => KnowledgeError::new_err(message),
            Error::Parse { .. } => ParseError::new_err(message),
            Error::Interrupted => PyKeyboardInterrupt::new_err(()),
            Error::OutOfTime | Error::TooManyTests => PyTimeoutError::new_err(message),
        }
    }
}
