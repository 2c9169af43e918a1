//! The application's variables.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use spindrift_web::{VariableError, Variables};

use crate::NativePlatform;
use crate::faults::REASON;

impl Variables for NativePlatform {
    fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
        if self.faults().variables.is_on() {
            return Err(VariableError { name: name.to_owned(), reason: REASON.to_owned() });
        }
        Ok(self.variables().read().unwrap_or_else(PoisonError::into_inner).get(name).cloned())
    }
}

pub(crate) fn set(variables: &RwLock<HashMap<String, String>>, name: &str, value: &str) {
    let mut variables = variables.write().unwrap_or_else(PoisonError::into_inner);
    variables.insert(name.to_owned(), value.to_owned());
}

pub(crate) fn remove(variables: &RwLock<HashMap<String, String>>, name: &str) {
    variables.write().unwrap_or_else(PoisonError::into_inner).remove(name);
}

#[cfg(test)]
mod tests {
    use spindrift_web::Variables as _;

    use crate::NativePlatform;

    #[test]
    fn empty_is_not_absent() {
        let platform = NativePlatform::new("unused").with_variable("a", "");
        assert_eq!(platform.variable("a").unwrap(), Some(String::new()));
        assert_eq!(platform.variable("b").unwrap(), None);
        platform.remove_variable("a");
        assert_eq!(platform.variable("a").unwrap(), None);
        platform.fail_variables(true);
        assert_eq!(platform.variable("a").unwrap_err().name, "a");
    }
}
