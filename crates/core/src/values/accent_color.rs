//! The accent color of a page.

use std::fmt;
use std::str::FromStr;

/// A color as `#rrggbb`, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccentColor(String);

/// The text is not a color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a color like #0a5f86")]
pub struct InvalidColor;

/// The lightness at which black and white contrast equally with a color: where `(l + 0.05) / 0.05` equals
/// `1.05 / (l + 0.05)`. Both are then 4.58, so the better one always has the 4.5 that WCAG 2.2 requires.
const EQUAL_CONTRAST: f64 = 0.179_128_784_747_792;

impl AccentColor {
    /// The color as `#rrggbb`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The color of text on this color: `#000000` or `#ffffff`, whichever contrasts more. The contrast is
    /// at least 4.5:1.
    pub fn text_color(&self) -> &'static str {
        if self.luminance() > EQUAL_CONTRAST { "#000000" } else { "#ffffff" }
    }

    /// The [relative luminance](https://www.w3.org/TR/WCAG22/#dfn-relative-luminance), 0 to 1.
    fn luminance(&self) -> f64 {
        let weights = [0.2126, 0.7152, 0.0722];
        let channels = [1, 3, 5].map(|at| u8::from_str_radix(&self.0[at..at + 2], 16).unwrap_or_default());
        channels.into_iter().zip(weights).map(|(channel, weight)| linear(channel) * weight).sum()
    }
}

/// An sRGB channel as a share of the light.
fn linear(channel: u8) -> f64 {
    let share = f64::from(channel) / 255.0;
    if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
}

impl FromStr for AccentColor {
    type Err = InvalidColor;

    fn from_str(text: &str) -> Result<Self, InvalidColor> {
        let digits = text.strip_prefix('#').ok_or(InvalidColor)?;
        let is_valid = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_valid { Ok(Self(text.to_ascii_lowercase())) } else { Err(InvalidColor) }
    }
}

impl fmt::Display for AccentColor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(text: &str) -> AccentColor {
        text.parse().unwrap()
    }

    #[test]
    fn only_six_digits_are_a_color() {
        assert_eq!(color("#0A5F86").as_str(), "#0a5f86");
        for text in ["", "#", "0a5f86", "#0a5f8", "#0a5f867", "#0a5f8g", "red", "#fff", "#0a5f86;", "#éé56"]
        {
            assert_eq!(text.parse::<AccentColor>(), Err(InvalidColor), "{text}");
        }
    }

    #[test]
    fn text_is_black_on_light_colors_and_white_on_dark_ones() {
        for (accent, text) in [
            ("#ffffff", "#000000"),
            ("#000000", "#ffffff"),
            ("#ffd400", "#000000"),
            ("#0a5f86", "#ffffff"),
            ("#ff0000", "#000000"),
            ("#0000ff", "#ffffff"),
        ] {
            assert_eq!(color(accent).text_color(), text, "{accent}");
        }
    }

    /// WCAG 2.2, success criterion 1.4.3, computed apart from the choice.
    #[test]
    fn text_is_readable_on_every_color() {
        for number in (0..0x100_0000_u32).step_by(257) {
            let accent = color(&format!("#{number:06x}"));
            let (one, other) = (accent.luminance(), color(accent.text_color()).luminance());
            let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
            assert!(contrast >= 4.5, "{accent}: {contrast}");
        }
    }
}
