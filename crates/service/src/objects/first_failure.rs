//! Work on many objects that continues after one of them has failed.

use spindrift_storage::StorageError;

/// Remembers the first failure of work on many objects.
#[derive(Debug, Default)]
pub struct FirstFailure(Option<StorageError>);

impl FirstFailure {
    /// Notes a failure that concerns one object, and returns `Ok(None)` so that the work can go on. Fails
    /// with the first failure if the work has to end: the storage does not answer, and the other objects
    /// would fail too.
    pub fn note<T>(&mut self, result: Result<T, StorageError>) -> Result<Option<T>, StorageError> {
        match result {
            Ok(value) => Ok(Some(value)),
            // The storage answered, so the next object may still succeed.
            Err(failure @ StorageError::Answered { .. }) => {
                self.0.get_or_insert(failure);
                Ok(None)
            }
            Err(failure) => Err(self.0.take().unwrap_or(failure)),
        }
    }

    /// The result of the work.
    pub fn end(self) -> Result<(), StorageError> {
        self.0.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16) -> StorageError {
        StorageError::Answered { status, code: None }
    }

    #[test]
    fn the_first_failure_about_an_object_is_returned_at_the_end() {
        let mut first = FirstFailure::default();
        assert_eq!(first.note(Ok(1)).unwrap(), Some(1));
        assert_eq!(first.note::<()>(Err(answered(503))).unwrap(), None);
        assert_eq!(first.note::<()>(Err(answered(500))).unwrap(), None);
        assert_eq!(first.note(Ok(2)).unwrap(), Some(2));
        assert!(first.end().unwrap_err().to_string().contains("503"));
        assert!(FirstFailure::default().end().is_ok());
    }

    #[test]
    fn a_storage_that_does_not_answer_ends_the_work() {
        let silent = || Err::<(), _>(StorageError::Unreachable("no route".to_owned()));
        assert!(FirstFailure::default().note(silent()).unwrap_err().to_string().contains("no route"));
        let mut first = FirstFailure::default();
        assert_eq!(first.note::<()>(Err(answered(503))).unwrap(), None);
        assert!(first.note(silent()).unwrap_err().to_string().contains("503"));
    }
}
