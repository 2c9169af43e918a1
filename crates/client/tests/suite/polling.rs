use std::time::Duration;

use spindrift_client::{Config, PollSettings};

use crate::server::{Server, answer};
use crate::world::{client, options};

#[tokio::test]
async fn pauses_follow_the_answers() {
    let service = Server::start(|number, _| match number {
        0 | 3 => answer(200, &[], r#"{"update_available":false,"critical":false}"#),
        1 => answer(503, &[("Retry-After", "7200")], ""),
        _ => answer(500, &[], ""),
    });
    let (client, pauses) = client(Config::new(&service.url));
    let settings =
        PollSettings { jitter_percent: 0, first_within: Duration::ZERO, ..PollSettings::default() };
    let mut poller = client.poller(options(), settings);

    let polling = tokio::spawn(async move {
        let mut answered = Vec::new();
        for i in 0..5 {
            // Both calls pause, and count.
            let is_ok =
                if i % 2 == 0 { poller.next().await.is_ok() } else { poller.next_result().await.is_ok() };
            answered.push(is_ok);
        }
        answered
    });
    let answered = polling.await.unwrap();

    assert_eq!(answered, [true, false, false, true, false]);
    // The interval, the requested delay, twice the floor, the interval.
    assert_eq!(pauses.all(), [0, 6 * 3600, 7200, 600, 6 * 3600].map(Duration::from_secs));
}
