//! V* and the best policy: on a grid world as a map with arrows, elsewhere as bars.

use super::Picture;
use super::chosen::Chosen;
use super::grid::{Scene, number};
use super::sight::Sight;
use crate::Result;
use crate::results::Results;
use crate::study::FigureSpec;

/// One picture for each world.
pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let chosen = Chosen::new(results, spec)?;
    let mut pictures = Vec::new();
    for &world in &chosen.worlds {
        let arena = results.study.worlds[world].place.open()?;
        let scene = Scene {
            problem: arena.problem(),
            truth: arena.instance().truth().ok(),
            measure: "V*, the expected cost to the goal".into(),
            sights: vec![Sight::best("", &arena)?],
        };
        let title = spec.headline(|| format!("V* and the best policy on {}", chosen.world(world)));
        let name = match chosen.worlds.len() {
            1 => spec.name.clone(),
            _ => format!("{}-{}", spec.name, pictures.len() + 1),
        };
        let note = format!("{} from the start, by the best actions", number(arena.optimal_cost()));
        pictures.push(scene.picture(&name, &title, vec![note], &spec.formats)?);
    }
    Ok(pictures)
}
