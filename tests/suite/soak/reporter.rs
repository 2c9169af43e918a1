//! Installed copies that fail, many at once.

use std::time::Duration;

use spindrift_tests::Noise;

use super::device::DEVICES;
use super::scene::Scene;
use crate::reports::failure_because;

/// Time between two bursts.
pub(super) const EVERY: Duration = Duration::from_secs(3);
/// Reports of a burst. The limit of a key is 100 a minute.
const BURST: u64 = 10;
/// Why copies fail, each in a group of its own.
pub(super) const REASONS: u64 = 12;
/// The kind of these calls.
pub(super) const REPORT: &str = "report";

/// Sends a burst of reports.
pub(super) fn burst(scene: &Scene<'_>, random: &mut Noise) {
    for _ in 0..BURST {
        let place = usize::try_from(random.below(scene.places.len() as u64)).unwrap();
        let client = scene.places[place].nobody.with_token(&scene.report_key);
        let report = failure_because(&format!("reason-{}", random.below(REASONS)));
        let device = format!("device-{}", random.below(DEVICES));
        let call = client.post_json("/reports/ingest", report).header("x-device-id", &device);
        scene.call(REPORT, &[202, 429], || call.try_send());
    }
}
