//! Experiments with goalward: many runs, statistics, figures.
