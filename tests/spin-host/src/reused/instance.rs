//! One instance that answers many requests: how it starts, what it takes, and when it ends.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::WaitForCancellationFutureOwned;
use tokio_util::task::task_tracker::TaskTrackerToken;
use wasmtime::component::GuestTaskId;
use wasmtime::{Store, StoreContextMut, format_err};
use wasmtime_wasi_http::WasiHttpView as _;
use wasmtime_wasi_http::handler::{
    HandlerState, Instance, Proxy, ShouldAccept, WorkerExpiration, WorkerState, WorkerStatus,
};
use wasmtime_wasi_http::p3::bindings::ServicePre;

use crate::chain::Chain;
use crate::guest::Guest;
use crate::limits::Limits;
use crate::outcome::Place;
use crate::services::Services;
use spindrift_http::Tasks;
use spindrift_http::log_line;

/// Starts instances of one component.
pub(crate) struct Starter {
    pub(crate) pre: ServicePre<Guest>,
    pub(crate) services: Arc<Services>,
    pub(crate) chain: Arc<dyn Chain>,
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) tasks: Tasks,
}

impl HandlerState for Starter {
    type StoreData = Guest;
    type WorkerExpiration = Lifetime;
    type WorkerState = Running;

    async fn instantiate(&self) -> wasmtime::Result<Instance<Guest, Lifetime, Running>> {
        let token = self.tasks.token();
        let limits = self.services.limits;
        let start = async {
            let slot = self.slots.clone().acquire_owned().await?;
            let mut store = Guest::new_store(self.pre.engine(), &self.services, self.chain.clone());
            let service = self.pre.instantiate_async(&mut store).await?;
            let latest = Latest::default();
            wasmtime::error::Ok(Instance {
                store,
                proxy: Proxy::P3(service),
                view: Guest::http,
                expiration: Lifetime::new(limits.instance_idle, &self.tasks, latest.clone()),
                state: Running {
                    component: self.services.component.clone(),
                    limits,
                    tasks: self.tasks.clone(),
                    latest,
                    _slot: slot,
                    _token: token,
                },
            })
        };
        tokio::select! {
            started = start => started,
            () = self.tasks.killed() => Err(format_err!("the host has stopped")),
        }
    }
}

/// The deadline and the place of a request, for the instance that answers it.
pub(crate) struct Begun {
    /// When it must be answered.
    pub(crate) deadline: Instant,
    /// Held until then, even if the caller no longer waits for the answer.
    pub(crate) place: Arc<Place>,
}

/// The latest deadline of the requests of an instance. `None`: it had none yet.
#[derive(Clone, Default)]
struct Latest(Arc<Mutex<Option<Instant>>>);

impl Latest {
    fn add(&self, deadline: Instant) {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *latest = (*latest).max(Some(deadline));
    }

    fn get(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An instance. Its slot and its token are free again after its store has been dropped.
pub(crate) struct Running {
    component: Arc<str>,
    limits: Limits,
    tasks: Tasks,
    latest: Latest,
    _slot: OwnedSemaphorePermit,
    _token: TaskTrackerToken,
}

impl WorkerState for Running {
    type StoreData = Guest;
    type RequestData = Begun;

    fn should_accept_request(&self, running: usize, total: usize) -> ShouldAccept {
        if total >= self.limits.instance_requests.max(1) {
            ShouldAccept::Never
        } else if running >= self.limits.instance_concurrency.max(1) {
            ShouldAccept::No
        } else {
            ShouldAccept::Yes
        }
    }

    /// After the deadline, the instance takes no further requests.
    fn on_request_start(
        &self,
        _: StoreContextMut<'_, Guest>,
        begun: Begun,
        _: GuestTaskId,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + Sync>> {
        self.latest.add(begun.deadline);
        Box::pin(async move {
            sleep_until(begun.deadline).await;
            drop(begun.place);
        })
    }

    fn drop(&self, store: Store<Guest>, result: Result<(), wasmtime::Error>) {
        drop(store);
        if let Err(error) = result
            && !self.tasks.are_killed()
        {
            log_line(&format!("[{}] an instance ended with all its requests: {error:?}", self.component));
        }
    }
}

/// Ends an instance: after its time limits, when the host stops and it has no work, or when the host is
/// killed.
pub(crate) struct Lifetime {
    idle: Duration,
    latest: Latest,
    stopping: Pin<Box<WaitForCancellationFutureOwned>>,
    killed: Pin<Box<WaitForCancellationFutureOwned>>,
    sleep: Pin<Box<Sleep>>,
}

impl Lifetime {
    fn new(idle: Duration, tasks: &Tasks, latest: Latest) -> Self {
        Self {
            idle,
            latest,
            stopping: Box::pin(tasks.stopping()),
            killed: Box::pin(tasks.killed()),
            sleep: Box::pin(sleep_until(Instant::now())),
        }
    }
}

impl WorkerExpiration for Lifetime {
    fn poll(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        status: WorkerStatus,
        since: std::time::Instant,
    ) -> Poll<()> {
        if self.killed.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        let end = match status {
            WorkerStatus::Idle => {
                if self.stopping.as_mut().poll(context).is_ready() {
                    return Poll::Ready(());
                }
                Instant::from_std(since) + self.idle
            }
            // All requests have been answered or have expired by then, and work after an answer counts as its
            // request's.
            WorkerStatus::Requests | WorkerStatus::PostReturn => match self.latest.get() {
                Some(latest) => latest,
                None => return Poll::Pending,
            },
        };
        if self.sleep.deadline() != end {
            self.sleep.as_mut().reset(end);
        }
        self.sleep.as_mut().poll(context)
    }
}
