//! The published figure, digitised from the pixels of its image: R_K/K over sqrt(K). The print
//! states neither the dimension nor delta.

/// LEVIS.
pub(super) const LEVIS: &[(f64, f64)] = &[
    (30.0, 1.16),
    (55.0, 0.70),
    (80.0, 0.46),
    (105.0, 0.38),
    (130.0, 0.39),
    (155.0, 0.36),
    (205.0, 0.26),
    (255.0, 0.20),
];

/// LEVIS++.
pub(super) const LEVIS_PLUS_PLUS: &[(f64, f64)] = &[
    (5.0, 2.26),
    (30.0, 0.82),
    (55.0, 0.59),
    (80.0, 0.41),
    (105.0, 0.30),
    (130.0, 0.23),
    (155.0, 0.18),
    (205.0, 0.13),
    (255.0, 0.12),
    (282.0, 0.115),
];
