//! The queue of jobs: each is taken by the first thread that is free.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Jobs by their numbers, for several threads at once.
#[derive(Debug)]
pub struct Queue {
    jobs: usize,
    next: AtomicUsize,
    stopped: AtomicBool,
}

impl Queue {
    /// The jobs from 0 to this number, which is left out.
    pub fn new(jobs: usize) -> Queue {
        Queue { jobs, next: AtomicUsize::new(0), stopped: AtomicBool::new(false) }
    }

    /// Does jobs until there are no more, it is asked to stop, or one fails on any thread. Every thread
    /// calls it.
    pub fn work<E>(
        &self,
        asked_to_stop: impl Fn() -> bool,
        job: impl Fn(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        while !asked_to_stop() && !self.stopped.load(Ordering::Relaxed) {
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            if n >= self.jobs {
                break;
            }
            job(n).inspect_err(|_| self.stopped.store(true, Ordering::Relaxed))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn every_job_is_done_once_and_none_after_a_failure() {
        let (queue, done) = (Queue::new(100), Mutex::new(Vec::new()));
        let all = rayon::broadcast(|_| {
            queue.work(
                || false,
                |n| {
                    done.lock().unwrap().push(n);
                    Ok::<(), ()>(())
                },
            )
        });
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert!(all.iter().all(Result::is_ok) && done == (0..100).collect::<Vec<_>>());
        let queue = Queue::new(9);
        assert_eq!(queue.work(|| false, |n| if n < 3 { Ok(()) } else { Err(n) }), Err(3));
        assert_eq!(queue.work(|| false, Err), Ok(()));
        assert_eq!(Queue::new(9).work(|| true, Err), Ok(()));
    }
}
