use super::*;
use crate::Error;

const DELTA: Key<f64> = Key::probability("delta", "a fraction").or("5/27");
const B: Key<Bound> = Key::number_or_oracle("B", "must be given");
const N: Key<u64> = Key::count("n", 1, 10, "a count").or("3");
const GAMMA: Key<f64> = Key::number("gamma", 0.0, 1.0, "computed unless given").computed("1/n");
const SPEED: Key<String> = Key::choice(
    "speed",
    &[Choice::Word("slow"), Choice::WithNumber("at", 1e-3, 1e3), Choice::WithCount("gear", 1)],
    "how fast",
)
.or("slow");
const FLAG: Key<bool> = Key::flag("flag", "yes or no").or("false");
const WEIGHTS: Key<Vec<f64>> = Key::numbers("weights", "some numbers").or("1/2,0.5");

const PARAMETERS: &[Parameter] =
    &[DELTA.about(), B.about(), N.about(), GAMMA.about(), SPEED.about(), FLAG.about(), WEIGHTS.about()];

fn read(settings: &Settings) -> Reader<'_> {
    Reader::new("test", PARAMETERS, settings).unwrap()
}

#[test]
fn defaults_fractions_and_bounds() {
    let settings = Settings::parse(["n=4"]).unwrap();
    let reader = read(&settings);
    assert_eq!(reader.get(&DELTA).unwrap(), 5.0 / 27.0);
    assert_eq!(reader.get(&N).unwrap(), 4);
    assert!(matches!(reader.get(&B), Err(Error::MissingSetting { .. })));
    assert_eq!(reader.get_or(&GAMMA, || 0.25).unwrap(), 0.25);
    assert_eq!(reader.get(&WEIGHTS).unwrap(), [0.5, 0.5]);
    assert!(matches!(read(&Settings::new().set("n", 11)).get(&N), Err(Error::Setting { .. })));
}

/// What is given out is in force; what is decided late replaces it.
#[test]
fn a_reader_notes_down_what_it_gives_out() {
    let settings = Settings::parse(["n=4", "B=oracle"]).unwrap();
    let reader = read(&settings);
    reader.get(&N).unwrap();
    reader.get_or(&GAMMA, || 0.25).unwrap();
    reader.get(&B).unwrap();
    reader.note_oracle(B.name());
    reader.note_as(B.name(), 7.5.into());
    reader.given(&FLAG).unwrap();
    let force = serde_json::Value::Object(reader.in_force());
    assert_eq!(force, serde_json::json!({"n": 4, "gamma": 0.25, "B": 7.5, "oracle": ["B"]}));
}

#[test]
fn what_is_given_is_never_taken_for_the_default() {
    let nothing = Settings::new();
    let reader = read(&nothing);
    assert_eq!((reader.text(&GAMMA), reader.text(&B), reader.text(&N)), (None, None, Some("3")));
    for bad in ["(computed)", "(1/n)", "(1)", "", " "] {
        for key in ["gamma", "B", "n", "delta", "speed", "flag", "weights"] {
            let settings = Settings::new().set(key, bad);
            let reader = read(&settings);
            let refused = match key {
                "gamma" => reader.get_or(&GAMMA, || 0.5).is_err(),
                "B" => reader.get(&B).is_err(),
                "n" => reader.get(&N).is_err(),
                "delta" => reader.get(&DELTA).is_err(),
                "speed" => reader.get(&SPEED).is_err(),
                "flag" => reader.get(&FLAG).is_err(),
                _ => reader.get(&WEIGHTS).is_err(),
            };
            assert!(refused, "{key}={bad:?}");
        }
    }
}

#[test]
fn probabilities_are_neither_0_nor_1() {
    for (text, fine) in [
        ("0.5", true),
        ("1e-300", true),
        ("0.9999999999999999", true),
        ("1", false),
        ("0", false),
        ("-0", false),
        ("1e-320", false),
        ("2", false),
        ("nan", false),
    ] {
        let settings = Settings::new().set("delta", text);
        assert_eq!(read(&settings).get(&DELTA).is_ok(), fine, "{text}");
    }
}

#[test]
fn choices_are_words_or_words_with_numbers() {
    for (text, fine) in [
        ("slow", true),
        ("at:0.5", true),
        ("at:1e3", true),
        ("gear:1", true),
        ("at:1e4", false),
        ("at:", false),
        ("at", false),
        ("gear:0", false),
        ("gear:1.5", false),
        ("Slow", false),
        ("at:nan", false),
    ] {
        let settings = Settings::new().set("speed", text);
        let read = read(&settings);
        assert_eq!(read.get(&SPEED).is_ok(), fine, "{text}");
    }
    let settings = Settings::new().set("speed", "quick");
    let error = read(&settings).get(&SPEED).unwrap_err().to_string();
    assert_eq!(error, "test: speed=quick: expected slow, at:X, or gear:N with N from 1");
}

/// A typed value is read back as it was, whatever its digits.
#[test]
fn values_read_as_they_are_typed() {
    for x in [0.1, 1.0 / 3.0, 1e-300, 1e22, 5.0, f64::MIN_POSITIVE] {
        assert_eq!(f64::read(&x.typed()), Some(x));
        assert_eq!(Bound::read(&Bound::Given(x).typed()), Some(Bound::Given(x)));
    }
    assert_eq!(Bound::read(&Bound::Oracle.typed()), Some(Bound::Oracle));
    let weights = vec![0.1, 1.0 / 3.0];
    assert_eq!(Vec::read(&weights.typed()), Some(weights));
}

#[test]
fn schemas_have_types_bounds_and_what_is_required() {
    let schema = schema(PARAMETERS);
    assert_eq!(schema["required"], serde_json::json!(["B"]));
    assert_eq!(schema["additionalProperties"], false);
    let of = |name: &str| &schema["properties"][name];
    assert_eq!((&of("n")["type"], &of("n")["maximum"]), (&"integer".into(), &10.into()));
    assert_eq!(of("n")["default"], 3);
    assert_eq!(of("flag")["default"], false);
    assert_eq!(of("weights")["default"], serde_json::json!([0.5, 0.5]));
    assert_eq!(of("speed")["anyOf"][0]["enum"], serde_json::json!(["slow"]));
    assert_eq!(of("speed")["anyOf"][1]["pattern"], "^at:.+$");
    assert_eq!(of("B")["anyOf"][1]["const"], "oracle");
    assert!(of("gamma")["default"].is_null());
}

#[test]
fn tables_have_a_row_for_each() {
    let table = table(PARAMETERS);
    assert_eq!(table.lines().count(), 2 + PARAMETERS.len());
    assert!(table.contains("| `B` | must be given | must be given |"), "{table}");
    assert!(table.contains("| `gamma` | 1/n | computed unless given |"), "{table}");
    assert!(table.contains("| `n` | `3` | a count |"), "{table}");
}

#[test]
fn of_a_very_long_value_errors_show_the_beginning() {
    let settings = Settings::new().set("n", "\u{e9}".repeat(100_000));
    let error = read(&settings).get(&N).unwrap_err().to_string();
    assert!(error.len() < 300 && error.contains("100000 characters"), "{error}");
}

#[test]
fn wrong_input_is_named() {
    assert!(Settings::parse(["n"]).is_err());
    assert!(Settings::parse(["n=1", "n=2"]).is_err());
    let unknown = Settings::new().set("m", 1);
    assert!(matches!(Reader::new("test", PARAMETERS, &unknown), Err(Error::UnknownSetting { .. })));
    for bad in ["nan", "inf", "x", "1/0", "1e400"] {
        let settings = Settings::new().set("delta", bad);
        assert!(read(&settings).get(&DELTA).is_err(), "{bad}");
    }
}

#[test]
fn counts_are_exact_in_every_form() {
    for (text, n) in [
        ("0", 0),
        ("+7", 7),
        ("007", 7),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1e+3", 1000),
        ("2.5e3", 2500),
        ("1.50e1", 15),
        ("1000e-3", 1),
        ("0e0", 0),
        ("0e99999999999999999999999", 0),
        ("0.000e-5", 0),
        ("1e19", 10_000_000_000_000_000_000),
        ("18446744073709551615", u64::MAX),
        ("1.8446744073709551615e19", u64::MAX),
        ("184467440737095516150e-1", u64::MAX),
        ("9007199254740993e0", 9_007_199_254_740_993),
    ] {
        assert_eq!(parse_count(text), Ok(n), "{text}");
    }
    for text in [
        "",
        "+",
        "-1",
        "-0",
        "1.0",
        "1.5",
        "1.5e0",
        "15e-1",
        "1e",
        "e3",
        ".5e1",
        "1e3.0",
        "1e 3",
        " 1",
        "1_000",
        "1,000",
        "0x10",
        "inf",
        "nan",
        "1e20",
        "1e99999999999999999999999",
        "18446744073709551616",
        "1.8446744073709551616e19",
        "1e-1",
        "1e3e3",
        "++1",
        "1e+-3",
        "1e--3",
    ] {
        assert!(parse_count(text).is_err(), "{text}");
    }
}

#[test]
fn counts_may_have_exponents_in_settings() {
    let settings = Settings::parse(["n=1e1"]).unwrap();
    assert_eq!(read(&settings).get(&N).unwrap(), 10);
    let refused = |value: &str| {
        let settings = Settings::new().set("n", value);
        read(&settings).get(&N).unwrap_err().to_string()
    };
    assert!(refused("1.5e0").contains("whole number"), "{}", refused("1.5e0"));
    assert!(refused("1e2").contains("between 1 and 10"), "{}", refused("1e2"));
    assert!(refused("1e30").contains("too large"), "{}", refused("1e30"));
}

#[test]
fn names_with_settings() {
    let (name, settings) = name_and_settings("windy-grid@n=3@wind=0.1").unwrap();
    assert_eq!((name, settings.get("n"), settings.get("wind")), ("windy-grid", Some("3"), Some("0.1")));
    assert!(name_and_settings("lr").unwrap().1.is_empty());
    for bad in ["", "@n=3", "n=3", "a@", "a@n", "a@n=", "a@=3", "a@n=3@n=3"] {
        assert!(name_and_settings(bad).is_err(), "{bad}");
    }
    let (one, other) = (Settings::new().set("n", 3), Settings::new().set("m", 4));
    assert_eq!(one.clone().and(&other).unwrap(), Settings::new().set("n", 3).set("m", 4));
    assert!(one.clone().and(&one).is_err(), "twice the same is once too often");
}

#[test]
fn bounds_have_exponents_not_rows_of_zeros() {
    const TINY: Key<f64> = Key::number("delta", 1e-300, 1.0, "a tiny bound");
    let settings = Settings::new().set("delta", "0");
    let error = read(&settings).get(&TINY).unwrap_err().to_string();
    assert_eq!(error, "test: delta=0: it must lie between 1e-300 and 1");
}
