//! After a kill at any write of a call, bucket and service show valid metadata, no number falls, nothing unlisted is
//! offered, and the same call finishes.

mod calls;
mod endings;
mod killed_host;
mod scene;

use std::collections::BTreeSet;

use spindrift_tests::Answer;

use scene::{Scene, finish};

/// How often each kind of call is killed: more often than it has writes.
const DEATHS: u32 = 50;

/// A call that can be repeated.
type Call = Box<dyn Fn() -> Answer>;

/// Kills a call of this kind again and again: at its first write, at its second, and so on; and when that has come to the
/// end, at each write and again when it is repeated. `prepare` makes the call of one round, `done` are the answers to it
/// and to its repetitions.
fn kill(kind: &str, scene: &mut Scene, done: &[u16], prepare: impl FnMut(&mut Scene, u32) -> Call) {
    kill_and_look(kind, scene, done, prepare, |_| ());
}

/// Like [`kill`]; `after` looks at what is there after each round.
fn kill_and_look(
    kind: &str,
    scene: &mut Scene,
    done: &[u16],
    mut prepare: impl FnMut(&mut Scene, u32) -> Call,
    mut after: impl FnMut(&mut Scene),
) {
    let (mut deaths, mut rounds, mut seen) = (0, 0, BTreeSet::new());
    let (mut point, mut again) = (0, None);
    while deaths < DEATHS {
        let call = prepare(scene, rounds);
        rounds += 1;
        let points = [Some(point), again];
        let mut killed = 0;
        for at in points.into_iter().flatten() {
            if !scene.dies(at, &call, done) {
                break;
            }
            killed += 1;
            let is_new = seen.insert((killed, at)) && killed == 1;
            scene.look_after_death((deaths + killed).is_multiple_of(2), is_new);
        }
        finish(&call, done);
        scene.look_after_round();
        after(scene);
        deaths += killed;
        (point, again) = match (killed, again) {
            // It has come to its end.
            (0, None) => (0, Some(0)),
            (0, Some(again)) => (0, Some(again + 1)),
            _ => (point + 1, again),
        };
    }
    assert!(again.is_some(), "{kind} has more writes than it was killed at");
    println!("{kind}: {deaths} deaths in {rounds} rounds at {} points", seen.len());
}
