//! Score sessions that outlive one parallel loop, so that a search of thousands of small steps makes each only once.

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use crate::score::LocalScore;

/// Sessions of a score that are not in use. It grows to the number of threads.
pub(crate) struct SessionPool<'s, S: LocalScore + 's> {
    score: &'s S,
    free: Mutex<Vec<S::Session<'s>>>,
}

impl<'s, S: LocalScore + 's> SessionPool<'s, S> {
    /// An empty pool over a score.
    pub(crate) fn new(score: &'s S) -> Self {
        Self { score, free: Mutex::default() }
    }

    /// A session, which returns to the pool when it is dropped.
    pub(crate) fn take(&self) -> PooledSession<'_, 's, S> {
        // A poisoned lock means that a thread panicked while it pushed or popped: the list is whole all the same.
        let free = self.free.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop();
        PooledSession { pool: self, session: Some(free.unwrap_or_else(|| self.score.session())) }
    }
}

/// A session in use.
pub(crate) struct PooledSession<'p, 's, S: LocalScore + 's> {
    pool: &'p SessionPool<'s, S>,
    session: Option<S::Session<'s>>,
}

impl<'s, S: LocalScore + 's> Deref for PooledSession<'_, 's, S> {
    type Target = S::Session<'s>;
    fn deref(&self) -> &Self::Target {
        self.session.as_ref().expect("it is there until drop")
    }
}

impl<'s, S: LocalScore + 's> DerefMut for PooledSession<'_, 's, S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.session.as_mut().expect("it is there until drop")
    }
}

impl<'s, S: LocalScore + 's> Drop for PooledSession<'_, 's, S> {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            self.pool.free.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(session);
        }
    }
}
