use super::*;

const LEVELS: usize = 3;

/// Steps: pair, next state, U, t and the radii; then what must come out, per level. A weight is the
/// variance with its error, of either sign and with either part at its limit, or alpha^2.
///
/// Expected values here and below: the normalised algorithm with 40 digits, powers and inverses
/// written out, apart from this program.
const CERTAIN: &str = "
step 0 1 high 20 0.05 0.08 0.11
  sigma_sq 0.15326492484479967 0.17977304815285416 1.0
  steepest 1.1494527548869027 0.9551965212422658 0.32805
step 2 1 high 21 0.05 0.08 0.11
  sigma_sq 0.06813041611497761 0.05029408608362683 1.0
  steepest 1.1494527548869027 0.9551965212422658 0.32805
step 3 2 high 22 0.05 0.08 0.11
  sigma_sq 0.045454545454545456 0.045454545454545456 1.0
  steepest 1.1494527548869027 0.9551965212422658 0.32805
step 0 0 high 23 0.05 0.08 0.11
  sigma_sq 0.15326492484479967 0.17977304815285416 1.0
  steepest 1.1494527548869027 0.9551965212422658 0.32805
freeze
  theta0 1.169721522953576 0.11827592234569753
  theta1 1.0065896938073955 0.20924519546042802
  theta2 0.3406900973541942 0.13272845976951678
  log_det 1.45060666678616 0.8095333460096686 -0.9221220857726098
step 0 2 low 24 0.05 0.08 0.11
  sigma_sq 0.04653049615141614 0.041666666666666664 1.0
  steepest 1.8543476131832664 1.567673435381234 0.32805
step 2 2 low 25 0.05 0.08 0.11
  sigma_sq 0.1104877805208563 0.04 1.0
  steepest 1.8543476131832664 1.6 0.32805
step 2 1 high 26 0.4 0.3 0.2
  sigma_sq 0.17437007177341557 0.05529442416762761 1.0
  steepest 1.8543476131832664 1.6 0.32805
step 0 1 low 3 0.05 0.08 0.11
  sigma_sq 0.3333333333333333 0.3333333333333333 1.0
  steepest 1.8543476131832664 1.6 0.32805
freeze
  theta0 0.7136666322248072 0.1344701735421984
  theta1 0.45446872966679197 0.4573763113037364
  theta2 0.36483893690297853 0.1467373688953781
  log_det 2.236651090204146 1.8380246698246763 -0.7982358524407603
step 0 0 high 400 0.01 0.02 0.03
  sigma_sq 0.09897628415818459 0.07146508858542756 1.0
  steepest 1.8543476131832664 1.6 0.32805
step 2 1 high 401 0.001 0.002 0.003
  sigma_sq 0.03764505840112214 0.012517537694126417 1.0
  steepest 1.8543476131832664 1.6 0.32805
step 0 2 high 402 9.0 0.01 7.0
  sigma_sq 1.09364795299937 1.055763099171901 1.0
  steepest 1.8543476131832664 1.6 0.32805
step 2 1 low 403 0.02 9.0 0.03
  sigma_sq 1.0849177605525397 1.0621290587585424 1.0
  steepest 1.8543476131832664 1.6 0.32805
freeze
  theta0 1.0234280383796754 -0.07131300298915377
  theta1 0.8194655730326452 0.5671610434677651
  theta2 0.5340291470023749 0.18772382676736785
  log_det 2.7722928440983083 2.463321798445071 -0.4597690979849025
";

/// A weight is gamma^2 times the norm, also at the top; some successors all have values above 0.
const UNCERTAIN: &str = "
step 1 1 high 2 0.05 0.08 0.11
  sigma_sq 16.74795929732933 13.19817581056422 9.244259093599968
  steepest 0.04276191050987284 0.06984721532575922 0.09284745756561276
step 2 1 high 21 0.05 0.08 0.11
  sigma_sq 3.5373614174951875 1.9360862335143603 1.0
  steepest 0.14621535281236908 0.10870087371240582 0.09284745756561276
step 1 0 low 22 0.05 0.08 0.11
  sigma_sq 6.284357448671814 4.8889097913682535 3.219312309732089
  steepest 0.14621535281236908 0.11702384044637905 0.10996099257066785
freeze
  theta0 0.8988873051272325 -0.10251866659015808
  theta1 0.6402851917886306 -0.08358461490343787
  theta2 0.19579116974819125 -0.005129682253544117
  log_det -5.026550751431897 -5.541455032511192 -6.224462738751345
step 0 2 low 24 0.05 0.08 0.11
  sigma_sq 2.937331446664059 2.072165842940459 1.288164139578799
  steepest 0.2333906824549181 0.22229910951509552 0.18044479111789508
step 3 2 low 1 0.05 0.08 0.11
  sigma_sq 1.0 1.0 1.0
  steepest 0.2333906824549181 0.22229910951509552 0.18044479111789508
freeze
  theta0 0.5116163086391767 0.09343995025652163
  theta1 0.4356265992209735 -0.005806928861457922
  theta2 0.1531680679025999 0.004538406887034307
  log_det -4.568990711573669 -5.198350048616964 -5.997763774838394
";

/// Two states with two actions each before the goal.
fn problem() -> Problem {
    let mut builder = Problem::builder("two", 3, 2);
    builder.start(0).goal(2);
    type Row<'a> = (State, &'a [(State, [f64; 2])]);
    let rows: [Row; 4] = [
        (0, &[(0, [0.5, 0.2]), (1, [0.3, 0.1]), (2, [0.2, 0.7])]),
        (0, &[(0, [0.7, 0.4]), (1, [0.3, 0.6])]),
        (1, &[(1, [0.6, 0.1]), (2, [0.4, 0.9])]),
        (1, &[(2, [1.0, 1.0])]),
    ];
    for (s, row) in rows {
        let a = builder.action(s, 1.0).unwrap();
        for (next, phi) in row {
            builder.feature(s, a, *next, phi).unwrap();
        }
    }
    builder.build().unwrap()
}

fn values(words: &[&str]) -> Vec<f64> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn replay(script: &str, lambda: f64, gamma: f64) {
    let problem = problem();
    let mut home = Home::new(2, LEVELS, lambda, gamma);
    for line in script.lines().filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let rest = &words[1..];
        let ours = match words[0] {
            "step" => {
                let u = if rest[2] == "high" { [0.9, 0.55, 0.0] } else { [0.35, 0.8, 0.0] };
                let (pair, next) = (rest[0].parse().unwrap(), rest[1].parse().unwrap());
                home.weigh(&problem, (pair, next), &u, &values(&rest[4..]), rest[3].parse().unwrap());
                home.update();
                continue;
            }
            "freeze" => {
                home.freeze();
                assert!(!home.doubled());
                continue;
            }
            "sigma_sq" => home.sigma_sq().to_vec(),
            "steepest" => home.steepest().to_vec(),
            "log_det" => home.levels().iter().map(|level| level.frozen().log_det()).collect(),
            theta => {
                let level: usize = theta.strip_prefix("theta").unwrap().parse().unwrap();
                home.levels()[level].frozen_theta().to_vec()
            }
        };
        let expected = values(rest);
        assert_eq!(ours.len(), expected.len());
        let close = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-11 * y.abs().max(1e-3);
        assert!(ours.iter().zip(&expected).all(close), "{line}: {ours:?}");
    }
}

#[test]
fn weights_noise_and_estimates_by_hand() {
    replay(CERTAIN, 0.5, 0.3);
    replay(UNCERTAIN, 0.02, 1.5);
}
