//! What `learn` says of a theta that transitions cannot tell, and a coverage study of features that are
//! faint.

use super::*;

#[test]
fn what_cannot_be_learnt_is_said() {
    let place = Place::new();
    let run = "learn windy-grid --param n=3 --param wind=0 --episodes 5";
    let text = place.run(run).done().out;
    for word in ["calm  0.", "(anything)", "left, up cannot be learnt from transitions"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains("[0.20, 0.20]"), "{text}");
    let json = place.run(&format!("{run} --json")).done().json();
    assert_eq!(json["theta_interval"], serde_json::json!([null, null, null, null, null]));
    assert_eq!(json["theta_hidden"], serde_json::json!([0, 1, 2, 3, 4]));

    let text = place.run(&format!("{run} --param simplex=true")).done().out;
    assert_eq!(text.matches(" [0.00, 1.00]\n").count(), 5, "{text}");
    assert!(text.contains("cannot be learnt"), "{text}");
    let text = place.run("learn windy-grid --param n=3 --episodes 5").done().out;
    assert!(text.contains("theta_hat") && !text.contains("cannot be learnt"), "{text}");
}

#[test]
fn a_faint_wind_is_covered() {
    let place = Place::new();
    let worlds = ["0", "1e-8", "1e-9"].map(|wind| format!("windy-grid@n=3@wind={wind}"));
    let study = format!(
        "steps = 300\nseeds = 10\nworlds = {worlds:?}\nlearners = [\"lr@delta=0.1\"]\n\
         [record]\nsets = true\n[coverage]\n"
    );
    place.write("faint.toml", &study);
    let json = place.run("study run faint.toml --json").done().json();
    assert_eq!(json["sound"], true);
    for row in json["rows"].as_array().unwrap() {
        assert_eq!(
            (&row["missed_at_plan"], &row["lost_at_plan"]["hits"]),
            (&Value::from(0), &Value::from(0))
        );
        assert_eq!(row["empty"], 0);
    }
}
