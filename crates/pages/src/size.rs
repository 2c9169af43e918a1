//! Sizes as text.

/// A size in bytes, in a readable unit.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    let (mut rest, mut unit) = (bytes, "B");
    let mut tenths = 0;
    for next in UNITS {
        if rest < 1000 {
            break;
        }
        tenths = rest % 1000 / 100;
        rest /= 1000;
        unit = next;
    }
    if unit == "B" || rest >= 100 { format!("{rest} {unit}") } else { format!("{rest}.{tenths} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_read_them() {
        for (bytes, text) in
            [(0, "0 B"), (999, "999 B"), (1500, "1.5 KB"), (123_456_789, "123 MB"), (2_147_483_648, "2.1 GB")]
        {
            assert_eq!(size(bytes), text);
        }
    }
}
