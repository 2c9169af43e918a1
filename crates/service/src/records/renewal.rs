//! Renewing values in the key-value store, so that no value derived before a change remains after that change
//! was answered.
//!
//! A value is replaced only if it is the one that was read *before* the new one was derived. A change renews
//! the value after its commit and before its answer. A slower process that derived from the old data then
//! finds another value and does not replace it. If there is no value, a unique placeholder is stored first,
//! and the new value is derived after that. A placeholder answers no request, so it can be stored at any
//! time.

use spindrift_web::KeyValueError;

use crate::{Ports, ServiceError};

/// Attempts to store a value after a change. Then the key is deleted, because others keep renewing it.
const MAX_ATTEMPTS: usize = 4;

/// For a reader that found no usable value: derives one and stores the bytes from `encode`, unless these are
/// `None`. `stored` is the value that the reader found. A failing store costs time, but the request is still
/// answered.
///
/// Many readers find the same outdated value at once. The first one replaces it, and the others answer with
/// what they derived. If they tried again, or deleted the value, each would send further readers to the
/// database.
pub(crate) fn renew<P: Ports, R>(
    ports: &P,
    key: &str,
    stored: Option<Vec<u8>>,
    derive: impl Fn() -> Result<R, ServiceError>,
    encode: impl Fn(&R) -> Result<Option<Vec<u8>>, ServiceError>,
) -> Result<R, ServiceError> {
    let derived = derive()?;
    // Failed writes do not matter here: the next reader tries again.
    match (stored, encode(&derived)?) {
        (None, None) => Ok(derived),
        (Some(_), None) => {
            let _ = ports.delete(key);
            Ok(derived)
        }
        (Some(old), Some(value)) => {
            let _ = ports.replace(key, &old, &value);
            Ok(derived)
        }
        // No placeholder is stored unless there is a value to keep, because clients can ask for arbitrary
        // keys.
        (None, Some(_)) => match put_placeholder(ports, key) {
            Some(placeholder) => renew(ports, key, Some(placeholder), derive, encode),
            None => Ok(derived),
        },
    }
}

/// For a change, between its commit and its answer. Like [`renew`], but afterwards no value derived before
/// the change is left. If the store fails, the old value lasts until it is too old.
pub(crate) fn renew_after_change<P: Ports, R>(
    ports: &P,
    key: &str,
    derive: impl Fn() -> Result<R, ServiceError>,
    encode: impl Fn(&R) -> Result<Option<Vec<u8>>, ServiceError>,
) -> Result<(), ServiceError> {
    for _ in 0..MAX_ATTEMPTS {
        let Some(old) = ports.get(key).ok().flatten().or_else(|| put_placeholder(ports, key)) else { break };
        let Some(value) = encode(&derive()?)? else { break };
        match replace(ports, key, &old, &value) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(_) => break,
        }
    }
    // Without a value, no other process can replace it with an old one.
    let _ = ports.delete(key);
    Ok(())
}

/// Replaces `old`; returns whether `value` is stored now. A failed swap is checked by reading, because Spin
/// reports every swap in Redis as failed, even a successful one (`docs/upstream.md`).
fn replace(ports: &impl Ports, key: &str, old: &[u8], value: &[u8]) -> Result<bool, KeyValueError> {
    Ok(ports.replace(key, old, value)? || ports.get(key)?.as_deref() == Some(value))
}

/// Stores a unique value. `None`: the store failed.
fn put_placeholder(ports: &impl Ports, key: &str) -> Option<Vec<u8>> {
    let placeholder = ports.new_id().as_str().as_bytes().to_vec();
    ports.set(key, &placeholder).is_ok().then_some(placeholder)
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use spindrift_native::NativePlatform;
    use spindrift_web::KeyValue as _;

    use super::*;

    /// A number that changes, and a count of how often it was derived.
    #[derive(Default)]
    struct Data {
        number: Cell<u8>,
        derived: Cell<u32>,
    }

    impl Data {
        fn new(number: u8) -> Self {
            Self { number: Cell::new(number), ..Self::default() }
        }

        fn change(&self, ports: &NativePlatform, number: u8) {
            self.number.set(number);
            renew_after_change(ports, "k", || self.derive(), encode).unwrap();
        }

        /// Renews as a reader that found `stored`; `meanwhile` runs once, between deriving and storing.
        fn renew(&self, ports: &NativePlatform, stored: Option<&[u8]>, meanwhile: impl FnOnce()) -> u8 {
            let meanwhile = RefCell::new(Some(meanwhile));
            let derive = || {
                let derived = self.derive();
                if let Some(meanwhile) = meanwhile.take() {
                    meanwhile();
                }
                derived
            };
            renew(ports, "k", stored.map(<[u8]>::to_vec), derive, encode).unwrap()
        }

        #[expect(clippy::unnecessary_wraps, reason = "real derivations can fail")]
        fn derive(&self) -> Result<u8, ServiceError> {
            self.derived.set(self.derived.get() + 1);
            Ok(self.number.get())
        }
    }

    /// Zero is not kept.
    #[expect(
        clippy::unnecessary_wraps,
        clippy::trivially_copy_pass_by_ref,
        reason = "as records are encoded"
    )]
    fn encode(number: &u8) -> Result<Option<Vec<u8>>, ServiceError> {
        Ok((*number > 0).then(|| vec![*number]))
    }

    fn stored_value(ports: &NativePlatform) -> Option<Vec<u8>> {
        ports.get("k").unwrap()
    }

    #[test]
    fn derived_values_are_kept() {
        let (ports, data) = (NativePlatform::new("unused"), Data::new(1));
        assert_eq!(data.renew(&ports, None, || {}), 1);
        assert_eq!(stored_value(&ports), Some(vec![1]));
        data.number.set(2);
        assert_eq!(data.renew(&ports, Some(&[1]), || {}), 2);
        assert_eq!(stored_value(&ports), Some(vec![2]));
        data.change(&ports, 3);
        assert_eq!(stored_value(&ports), Some(vec![3]));
        data.change(&ports, 0);
        assert_eq!(stored_value(&ports), None, "nothing to keep");
        data.change(&ports, 4);
        assert_eq!(stored_value(&ports), Some(vec![4]));
        data.number.set(0);
        assert_eq!(data.renew(&ports, Some(&[4]), || {}), 0);
        assert_eq!(stored_value(&ports), None, "nothing to keep");
    }

    #[test]
    fn a_slow_reader_does_not_replace_a_newer_value() {
        for before in [None, Some(&[1_u8][..])] {
            let (ports, data) = (NativePlatform::new("unused"), Data::new(1));
            if let Some(before) = before {
                ports.set("k", before).unwrap();
            }
            let seen_after_change = RefCell::new(Vec::new());
            let _ = data.renew(&ports, before, || {
                // From here on, a check must not see 1.
                data.change(&ports, 2);
                seen_after_change.borrow_mut().extend(stored_value(&ports));
            });
            assert_eq!(*seen_after_change.borrow(), [vec![2]]);
            assert_eq!(stored_value(&ports), Some(vec![2]), "before: {before:?}");
        }
    }

    #[test]
    fn of_many_readers_one_keeps_and_nobody_derives_again() {
        let (ports, data) = (NativePlatform::new("unused"), Data::new(1));
        ports.set("k", &[9]).unwrap();
        let old = Some(&[9_u8][..]);
        let _ = data.renew(&ports, old, || {
            let _ = data.renew(&ports, old, || {
                let _ = data.renew(&ports, old, || {});
                data.number.set(2);
            });
        });
        assert_eq!(stored_value(&ports), Some(vec![1]), "the first one");
        assert_eq!(data.derived.get(), 3, "once by each");
    }

    #[test]
    fn a_reader_replaces_a_placeholder() {
        let (ports, data) = (NativePlatform::new("unused"), Data::new(1));
        let placeholder = put_placeholder(&ports, "k").unwrap();
        let _ = data.renew(&ports, Some(&placeholder), || {});
        assert_eq!((stored_value(&ports), data.derived.get()), (Some(vec![1]), 1));
    }

    #[test]
    fn a_store_that_fails_costs_no_answer() {
        let (ports, data) = (NativePlatform::new("unused"), Data::new(1));
        ports.fail_key_value(true);
        assert_eq!(data.renew(&ports, None, || {}), 1);
        data.change(&ports, 2);
        assert_eq!(data.renew(&ports, Some(&[1]), || {}), 2);
    }

    #[test]
    fn a_swap_that_is_misreported_as_failed_has_written() {
        let (ports, data) = (NativePlatform::new("unused"), Data::new(1));
        ports.misreport_replaces(true);
        data.change(&ports, 1);
        assert_eq!((stored_value(&ports), data.derived.get()), (Some(vec![1]), 1));
        data.change(&ports, 2);
        assert_eq!((stored_value(&ports), data.derived.get()), (Some(vec![2]), 2));
    }

    #[test]
    fn a_swap_that_others_were_faster_than_is_tried_again() {
        let (ports, data) = (NativePlatform::new("unused"), Data::new(1));
        ports.misreport_replaces(true);
        ports.set("k", &[9]).unwrap();
        let others = Cell::new(2_u8);
        let derive = || {
            // Two others write between reading and replacing.
            if others.get() > 0 {
                ports.set("k", &[others.replace(others.get() - 1) + 100]).unwrap();
            }
            data.derive()
        };
        renew_after_change(&ports, "k", derive, encode).unwrap();
        assert_eq!((stored_value(&ports), data.derived.get()), (Some(vec![1]), 3));
    }
}
