//! A closed loop of keep-alive connections.

use std::time::{Duration, Instant};

use crate::target::Target;

/// Load before each measurement that is not measured: connections are opened, and the host wakes up.
const LEAD: Duration = Duration::from_millis(50);

/// Load on one target at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Connections, each of which waits for an answer before it sends the next request.
    pub(crate) connections: usize,
    /// How long to measure.
    pub(crate) duration: Duration,
}

/// One measurement.
#[derive(Debug)]
pub(crate) struct Sample {
    /// How long the measurement took.
    pub(crate) duration: Duration,
    /// Time of each answer in microseconds, in ascending order.
    pub(crate) micros: Vec<u32>,
    /// Processor time of the host, including what it did after the answers. `None`: the system does not
    /// report it.
    pub(crate) processor: Option<Duration>,
}

impl Sample {
    /// Answers per second over all connections.
    #[expect(clippy::cast_precision_loss, reason = "it is a figure to print")]
    pub(crate) fn per_second(&self) -> f64 {
        self.micros.len() as f64 / self.duration.as_secs_f64()
    }
}

impl Load {
    /// Measures a target.
    pub(crate) fn measure(self, target: &Target) -> anyhow::Result<Sample> {
        let from = Instant::now() + LEAD;
        let to = from + self.duration;
        let processes = target.processes();
        let (before, mut after, micros) = std::thread::scope(|scope| {
            let work = |number| move || self.work(number, target, from, to);
            let workers: Vec<_> = (0..self.connections).map(|number| scope.spawn(work(number))).collect();
            std::thread::sleep(from.saturating_duration_since(Instant::now()));
            let before = processes.processor_time();
            std::thread::sleep(to.saturating_duration_since(Instant::now()));
            let after = processes.processor_time();
            let micros = workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|_| anyhow::bail!("a connection's thread ended")));
            (before, after, micros.collect::<anyhow::Result<Vec<_>>>())
        });
        let mut all = micros?;
        let rounds = all.iter().map(|micros| micros.0).max().unwrap_or(0);
        target.take(rounds * u32::try_from(self.connections)?);
        if target.leaves_work() {
            after = processes.settle();
        }
        let mut micros: Vec<u32> = all.drain(..).flat_map(|(_, micros)| micros).collect();
        micros.sort_unstable();
        let processor = after.zip(before).map(|(after, before)| after.saturating_sub(before));
        Ok(Sample { duration: self.duration, micros, processor })
    }

    /// Sends requests on one connection. Returns how many, and the durations of those sent during
    /// the measurement.
    fn work(
        self,
        number: usize,
        target: &Target,
        from: Instant,
        to: Instant,
    ) -> anyhow::Result<(u32, Vec<u32>)> {
        let (number, step) = (u32::try_from(number)?, u32::try_from(self.connections)?);
        let first = target.take(0) + number;
        let mut connection = target.connect()?;
        let mut micros = Vec::new();
        let mut count = 0;
        loop {
            let start = Instant::now();
            if start >= to {
                return Ok((count, micros));
            }
            target.ask(&mut connection, first.wrapping_add(count * step))?;
            count += 1;
            if start >= from {
                micros.push(u32::try_from(start.elapsed().as_micros())?);
            }
        }
    }
}

/// Sends each of the first `requests` requests once, over some connections.
pub(crate) fn touch(target: &Target, connections: u32, requests: u32) -> anyhow::Result<()> {
    std::thread::scope(|scope| {
        let work = |worker: u32| {
            move || -> anyhow::Result<()> {
                let mut connection = target.connect()?;
                (worker..requests)
                    .step_by(connections as usize)
                    .try_for_each(|n| target.ask(&mut connection, n))
            }
        };
        let workers: Vec<_> = (0..connections).map(|worker| scope.spawn(work(worker))).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| anyhow::bail!("a thread ended")))
    })
}
