//! Renewing what is kept in the key-value store, so that nothing derived before a change ever stands after the change
//! was answered.
//!
//! A value is replaced only if it is the one that was there *before* its successor was derived. Whoever changes something
//! renews after the commit and before the answer; a slower one, who derived from the data before, then finds another
//! value and does not replace it. Where there is no value, a placeholder that nobody else has is put there first, and
//! what is to be kept is derived after that: a placeholder answers nobody, so it may stand in for anything.

use spindrift_web::ApiError;

use crate::{Failure, Ports};

/// Attempts until the value is given up: others are renewing it all the time.
const MAX_ATTEMPTS: usize = 4;

/// Derives a value and keeps what `encode` makes of it; `None`: it is not to be kept. `seen` is what the store had for
/// the key before; `None`: not known. The store's failures cost time, not answers.
pub(crate) fn renew<P: Ports, R>(
    ports: &P,
    key: &str,
    seen: Option<Vec<u8>>,
    derive: impl Fn() -> Result<R, Failure>,
    encode: impl Fn(&R) -> Result<Option<Vec<u8>>, ApiError>,
) -> Result<R, Failure> {
    let mut seen = seen.or_else(|| now(ports, key));
    let mut derived = derive()?;
    for _ in 0..MAX_ATTEMPTS {
        let Some(value) = encode(&derived)? else { break };
        seen = if let Some(old) = &seen {
            match ports.replace(key, old, &value) {
                Ok(true) => return Ok(derived),
                Ok(false) => now(ports, key),
                Err(_) => break,
            }
        } else {
            let placeholder = ports.new_id().as_str().as_bytes().to_vec();
            if ports.set(key, &placeholder).is_err() {
                break;
            }
            Some(placeholder)
        };
        derived = derive()?;
    }
    // Nobody replaces an absent value by an old one. If the store fails it ends by its age.
    let _ = ports.delete(key);
    Ok(derived)
}

fn now(ports: &impl Ports, key: &str) -> Option<Vec<u8>> {
    ports.get(key).ok().flatten()
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use spindrift_native::NativePlatform;
    use spindrift_web::KeyValue as _;

    use super::*;

    /// Renews a number that `data` holds; `meanwhile` runs once between the first deriving and keeping.
    fn renew_number(
        ports: &NativePlatform,
        seen: Option<&[u8]>,
        data: &Cell<u8>,
        meanwhile: impl FnOnce(),
    ) -> u8 {
        let meanwhile = RefCell::new(Some(meanwhile));
        let derive = || {
            let derived = data.get();
            if let Some(meanwhile) = meanwhile.take() {
                meanwhile();
            }
            Ok(derived)
        };
        renew(ports, "k", seen.map(<[u8]>::to_vec), derive, |n| Ok((*n > 0).then(|| vec![*n]))).unwrap()
    }

    fn kept(ports: &NativePlatform) -> Option<Vec<u8>> {
        ports.get("k").unwrap()
    }

    #[test]
    fn what_was_derived_is_kept() {
        let (ports, data) = (NativePlatform::new("unused"), Cell::new(1));
        assert_eq!(renew_number(&ports, None, &data, || {}), 1);
        assert_eq!(kept(&ports), Some(vec![1]));
        data.set(2);
        assert_eq!(renew_number(&ports, Some(&[1]), &data, || {}), 2);
        assert_eq!(kept(&ports), Some(vec![2]));
        data.set(0);
        let _ = renew_number(&ports, None, &data, || {});
        assert_eq!(kept(&ports), None, "nothing to keep");
    }

    #[test]
    fn a_slow_one_does_not_replace_what_a_change_has_kept() {
        for before in [None, Some(&[1_u8][..])] {
            let (ports, data) = (NativePlatform::new("unused"), Cell::new(1));
            if let Some(before) = before {
                ports.set("k", before).unwrap();
            }
            let seen_after_change = RefCell::new(Vec::new());
            let _ = renew_number(&ports, before, &data, || {
                // The change: committed, renewed, answered. From here on a check may not see 1.
                data.set(2);
                let _ = renew_number(&ports, None, &data, || {});
                seen_after_change.borrow_mut().extend(kept(&ports));
            });
            assert_eq!(*seen_after_change.borrow(), [vec![2]]);
            assert_eq!(kept(&ports), Some(vec![2]), "before: {before:?}");
        }
    }

    #[test]
    fn a_store_that_fails_costs_no_answer() {
        let (ports, data) = (NativePlatform::new("unused"), Cell::new(1));
        ports.fail_key_value(true);
        assert_eq!(renew_number(&ports, None, &data, || {}), 1);
    }
}
