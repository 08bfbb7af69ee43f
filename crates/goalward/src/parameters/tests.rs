#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter { name: "delta", default: "5/27", doc: "a fraction" },
        Parameter { name: "B", default: "", doc: "must be given" },
        Parameter { name: "n", default: "3", doc: "a count" },
        Parameter { name: "gamma", default: "(computed)", doc: "computed unless given" },
    ];

    #[test]
    fn defaults_fractions_and_bounds() {
        let settings = Settings::parse(["n=4"]).unwrap();
        let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
        assert_eq!(reader.number("delta", 0.0, 1.0).unwrap(), 5.0 / 27.0);
        assert_eq!(reader.count("n", 1, 10).unwrap(), 4);
        assert!(matches!(reader.number("B", 0.0, 1.0), Err(Error::MissingSetting { .. })));
        assert!(matches!(reader.count("n", 5, 10), Err(Error::Setting { .. })));
    }

    #[test]
    fn what_is_given_is_never_taken_for_the_default() {
        let nothing = Settings::new();
        let reader = Reader::new("test", PARAMETERS, &nothing).unwrap();
        assert_eq!((reader.text("gamma"), reader.text("B"), reader.text("n")), (None, None, Some("3")));
        for bad in ["(computed)", "(nonsense)", "(1)", "", " "] {
            for key in ["gamma", "B", "n"] {
                let settings = Settings::new().set(key, bad);
                let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
                assert_eq!(reader.text(key), Some(bad));
                let refused = reader.number_or_none(key, 0.0, 1.0);
                assert!(matches!(refused, Err(Error::Setting { .. })), "{key}={bad:?}: {refused:?}");
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
            let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
            assert_eq!(reader.probability("delta").is_ok(), fine, "{text}");
        }
    }

    #[test]
    fn of_a_very_long_value_errors_show_the_beginning() {
        let settings = Settings::new().set("n", "\u{e9}".repeat(100_000));
        let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
        let error = reader.count("n", 1, 2).unwrap_err().to_string();
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
            let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
            assert!(reader.number("delta", 0.0, 1.0).is_err(), "{bad}");
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
        assert_eq!(Reader::new("test", PARAMETERS, &settings).unwrap().count("n", 1, 10).unwrap(), 10);
        let refused = |value: &str| {
            let settings = Settings::new().set("n", value);
            Reader::new("test", PARAMETERS, &settings).unwrap().count("n", 1, 10).unwrap_err().to_string()
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
        let settings = Settings::new().set("delta", "0");
        let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
        let error = reader.number("delta", 1e-300, 1.0).unwrap_err().to_string();
        assert_eq!(error, "test: delta=0: it must lie between 1e-300 and 1");
    }
}
