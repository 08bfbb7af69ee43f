//! V* and the best policy: on a grid world as a map with arrows, elsewhere as bars.

use super::Picture;
use super::chosen::Chosen;
use super::grid::{Scene, Sight, number};
use crate::Result;
use crate::results::Results;
use crate::study::FigureSpec;

/// One picture for each world.
pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let chosen = Chosen::new(results, spec)?;
    let mut pictures = Vec::new();
    for &world in &chosen.worlds {
        let arena = results.study.worlds[world].place.open()?;
        let answer = arena.exact();
        let sight = Sight {
            title: String::new(),
            values: answer.v.iter().copied().map(Some).collect(),
            actions: answer.policy.iter().copied().map(Some).collect(),
        };
        let scene = Scene {
            problem: arena.problem(),
            truth: arena.instance().truth().ok(),
            measure: "V*, the expected cost to the goal".into(),
            sights: vec![sight],
        };
        let title = match spec.title.as_str() {
            "" => format!("V* and the best policy on {}", chosen.world(world)),
            told => told.into(),
        };
        let name = match chosen.worlds.len() {
            1 => spec.name.clone(),
            _ => format!("{}-{}", spec.name, pictures.len() + 1),
        };
        let note = format!("{} from the start, by the best actions", number(arena.optimal_cost()));
        pictures.push(scene.picture(&name, &title, vec![note], &spec.formats)?);
    }
    Ok(pictures)
}
