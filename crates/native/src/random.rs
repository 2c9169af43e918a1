//! Random bytes.

use spindrift_web::Random;

use crate::NativePlatform;

impl Random for NativePlatform {
    #[expect(
        clippy::expect_used,
        reason = "without randomness no request may be answered: it ends with a 500"
    )]
    fn fill(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("the system's randomness");
    }
}

#[cfg(test)]
mod tests {
    use spindrift_web::Random as _;

    use crate::NativePlatform;

    #[test]
    fn two_fillings_differ() {
        let platform = NativePlatform::new("unused");
        let (mut one, mut two) = ([0; 32], [0; 32]);
        platform.fill(&mut one);
        platform.fill(&mut two);
        assert_ne!(one, two);
    }
}
