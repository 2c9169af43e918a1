//! Parts of all devices.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::TextRule as _;

/// A part of all devices in hundredths of a percent, 0 to 10,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct BasisPoints(u16);

/// The text or number is not a percentage from 0 to 100 with at most two decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid percentage: {}", BasisPoints::RULE)]
pub struct InvalidPercentage;

impl BasisPoints {
    /// No device.
    pub const NONE: Self = Self(0);
    /// Every device.
    pub const ALL: Self = Self(10_000);

    /// From hundredths of a percent. `None`: more than 10,000.
    pub const fn new(basis_points: u16) -> Option<Self> {
        if basis_points <= Self::ALL.0 { Some(Self(basis_points)) } else { None }
    }

    /// From a whole percentage. More than 100 means all.
    pub const fn from_percent(percent: u8) -> Self {
        if percent < 100 { Self(percent as u16 * 100) } else { Self::ALL }
    }

    /// From a percentage: 0.1, 5.
    pub fn from_f64(percent: f64) -> Result<Self, InvalidPercentage> {
        // Decimal fractions such as 0.07 have no exact form, so the product is only nearly whole.
        let basis_points = (percent * 100.0).round();
        let is_exact = (percent * 100.0 - basis_points).abs() < 1e-6;
        if !is_exact || !(0.0..=10_000.0).contains(&basis_points) {
            return Err(InvalidPercentage);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number up to 10,000"
        )]
        Ok(Self(basis_points as u16))
    }

    /// Hundredths of a percent.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// The percentage, rounded down. It is 100 only for all devices.
    pub const fn percent(self) -> u8 {
        #[expect(clippy::cast_possible_truncation, reason = "at most 100")]
        {
            (self.0 / 100) as u8
        }
    }

    /// Whether it is a percentage without decimals.
    pub const fn is_whole(self) -> bool {
        self.0.is_multiple_of(100)
    }

    /// Whether it includes no device.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether it is every device.
    pub const fn is_all(self) -> bool {
        self.0 == Self::ALL.0
    }

    /// The percentage, with its decimals.
    pub fn to_f64(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl TryFrom<u16> for BasisPoints {
    type Error = InvalidPercentage;

    fn try_from(basis_points: u16) -> Result<Self, InvalidPercentage> {
        Self::new(basis_points).ok_or(InvalidPercentage)
    }
}

impl From<BasisPoints> for u16 {
    fn from(basis_points: BasisPoints) -> Self {
        basis_points.0
    }
}

/// Reads a percentage without a sign: `5`, `0.1`, `12.25`.
impl std::str::FromStr for BasisPoints {
    type Err = InvalidPercentage;

    fn from_str(text: &str) -> Result<Self, InvalidPercentage> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !are_digits(whole) || !are_digits(decimals) || whole.len() > 3 || decimals.len() > 2 {
            return Err(InvalidPercentage);
        }
        let number = |text: &str| text.parse::<u16>().map_err(|_| InvalidPercentage);
        let tenths = if decimals.len() == 1 { 10 } else { 1 };
        Self::try_from(number(whole)? * 100 + number(decimals)? * tenths)
    }
}

/// The percentage with as many decimals as it needs: `5`, `0.1`, `12.25`.
impl fmt::Display for BasisPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_f64().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_up_to_two_decimals() {
        for (text, basis_points) in [
            ("0", 0),
            ("0.01", 1),
            ("0.1", 10),
            ("0.07", 7),
            ("5", 500),
            ("12.25", 1225),
            ("99.99", 9999),
            ("100", 10_000),
        ] {
            let expected = BasisPoints::new(basis_points).unwrap();
            assert_eq!(text.parse(), Ok(expected), "{text}");
            assert_eq!(BasisPoints::from_f64(text.parse().unwrap()), Ok(expected), "{text}");
            assert_eq!(expected.to_string(), text);
        }
        for text in ["", ".", "5.", ".5", "0.005", "100.01", "-1", "+1", "1e1", " 5", "5%", "1000", "65536"] {
            assert!(text.parse::<BasisPoints>().is_err(), "{text}");
        }
        for number in [0.005, 100.01, -0.01, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(BasisPoints::from_f64(number), Err(InvalidPercentage), "{number}");
        }
    }

    #[test]
    fn every_number_is_read_as_written() {
        for basis_points in 0..=10_000 {
            let expected = BasisPoints::new(basis_points).unwrap();
            assert_eq!(expected.to_string().parse(), Ok(expected));
            assert_eq!(BasisPoints::from_f64(expected.to_f64()), Ok(expected));
        }
    }

    #[test]
    fn whole_percentages_are_rounded_down() {
        for (basis_points, percent, is_whole) in
            [(0, 0, true), (99, 0, false), (100, 1, true), (9_999, 99, false)]
        {
            let basis_points = BasisPoints::new(basis_points).unwrap();
            assert_eq!((basis_points.percent(), basis_points.is_whole()), (percent, is_whole));
        }
        assert_eq!(BasisPoints::from_percent(200), BasisPoints::ALL);
        assert_eq!(BasisPoints::new(10_001), None);
    }
}
