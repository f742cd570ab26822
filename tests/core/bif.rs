//! Reading and writing BIF files.

use phgs::Error;
use phgs::network::{BayesianNetwork, BifOptions, Node, Repair};
use phgs::run::Run;

use crate::support::{network, network_text};

/// Every network of the repository: name, variables, arcs and free parameters, as the repository's site lists them.
const NETWORKS: [(&str, usize, usize, usize); 24] = [
    ("alarm", 37, 46, 509),
    ("andes", 223, 338, 1157),
    ("asia", 8, 8, 18),
    ("barley", 48, 84, 114_005),
    ("cancer", 5, 4, 10),
    ("child", 20, 25, 230),
    ("diabetes", 413, 602, 429_409),
    ("earthquake", 5, 4, 10),
    ("hailfinder", 56, 66, 2656),
    ("hepar2", 70, 123, 1453),
    ("insurance", 27, 52, 1008),
    ("link", 724, 1125, 14_211),
    ("mildew", 35, 46, 540_150),
    ("munin", 1041, 1397, 80_592),
    ("munin1", 186, 273, 15_622),
    ("munin2", 1003, 1244, 69_431),
    ("munin3", 1041, 1306, 71_059),
    ("munin4", 1038, 1388, 80_352),
    ("pathfinder", 109, 195, 72_079),
    ("pigs", 441, 592, 5618),
    ("sachs", 11, 17, 178),
    ("survey", 6, 6, 21),
    ("water", 32, 66, 10_083),
    ("win95pts", 76, 112, 574),
];

#[test]
fn every_network_loads_and_survives_writing() {
    for (name, variables, arcs, parameters) in NETWORKS {
        let read = network(name);
        let size = (read.n_variables(), read.dag().n_arcs(), read.n_parameters());
        assert_eq!(size, (variables, arcs, parameters), "{name}");
        let text = read.to_bif();
        let again = BayesianNetwork::from_bif(&text).expect(name);
        assert!(read == again, "{name}");
        assert!(text == again.to_bif(), "{name}");
    }
}

/// Values looked up in the files by hand.
#[test]
fn rows_are_where_their_labels_say() {
    let child = network("child");
    assert!(child.nodes().iter().flat_map(|node| &node.states).any(|state| state == "Asy/Patch"));
    let asia = network("asia");
    let either = asia.node(asia.variable("either").unwrap());
    assert_eq!(either.parents, [asia.variable("lung").unwrap(), asia.variable("tub").unwrap()]);
    assert_eq!(either.row(3), [0.0, 1.0], "no lung cancer and no tuberculosis");
    assert_eq!(either.row(1), [1.0, 0.0]);
    let dysp = asia.node(asia.variable("dysp").unwrap());
    assert_eq!(dysp.parents, [asia.variable("bronc").unwrap(), asia.variable("either").unwrap()]);
    assert_eq!(dysp.row(1), [0.8, 0.2], "bronchitis, neither of the others");
    assert_eq!(dysp.row(2), [0.7, 0.3], "no bronchitis, one of the others");
}

const SMALL: &str = r#"
// A comment; with { marks }.
network "a small one" { property version 1.0; }
/* Tables may come before the variables. */
probability ( d | c, a ) {
  property author it's me;
  default 0.5, 0.5;
  ( <5, - ) 1E-3, 0.999;   // exponents
  (>=7.5,+) 0.25 0.75;
}
variable a { type discrete[2] { +, - }; property position = (73, 165); }
variable c { type discrete [ 3 ] { <5, "5 to 7,5", >=7.5 }; }
variable d { type discrete [ 2 ] { Asy/Patch, default }; }
variable property { type discrete [ 2 ] { property, table }; }
probability ( a ) { table 0.333, 0.667; }
probability ( c | a ) { table 0.1, 0.2, 0.3, 0.4, 0.6, 0.4; }
probability ( property | d ) { (default) .5, .5; (Asy/Patch) 1, 0; }
"#;

#[test]
fn what_the_format_allows_is_read() {
    let network = BayesianNetwork::from_bif(SMALL).unwrap();
    assert_eq!(network.name(), "a small one");
    let names: Vec<&str> = network.nodes().iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["a", "c", "d", "property"], "in the order of declaration");
    assert_eq!(network.node(1).states, ["<5", "5 to 7,5", ">=7.5"]);
    // A table runs through the states of its variable slowest.
    assert_eq!(network.node(1).probabilities, [0.1, 0.3, 0.6, 0.2, 0.4, 0.4]);
    let d = network.node(2);
    assert_eq!(d.parents, [1, 0]);
    assert_eq!(d.probabilities, [0.5, 0.5, 0.001, 0.999, 0.5, 0.5, 0.5, 0.5, 0.25, 0.75, 0.5, 0.5]);
    assert_eq!(network.node(3).probabilities, [1.0, 0.0, 0.5, 0.5]);
    assert_eq!(BayesianNetwork::from_bif(&network.to_bif()).unwrap(), network);
}

#[test]
fn any_name_and_any_number_survive_writing() {
    let names = ["a b", "", "\"", "\\\"", "//", "ß, →", "{", "x|y", "0", "/*", "table", "property"];
    let states: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut row = vec![0.0; names.len()];
    (row[0], row[1], row[2], row[3]) = (f64::MIN_POSITIVE, 5e-324, 0.1 + 0.2, 1.0 - 0.3);
    let nodes = names.iter().enumerate().map(|(i, name)| {
        let parents: Vec<u32> = if i == 0 { vec![] } else { vec![0] };
        let probabilities = row.repeat(names.len().pow(parents.len() as u32));
        Node { name: (*name).to_owned(), states: states.clone(), parents, probabilities }
    });
    let network = BayesianNetwork::new("x y", nodes.collect()).unwrap();
    assert_eq!(BayesianNetwork::from_bif(&network.to_bif()).unwrap(), network);
}

/// Replaces one piece of the small file, reads it and checks where the error is found and what it says.
fn refused(old: &str, new: &str, line: usize, column: usize, says: &str) {
    assert!(SMALL.contains(old), "{old}");
    match BayesianNetwork::from_bif(&SMALL.replacen(old, new, 1)) {
        Err(Error::Parse { line: l, column: c, problem }) => {
            assert!(problem.contains(says), "{problem}");
            assert_eq!((l, c), (line, column), "{problem}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn errors_say_where_and_what() {
    refused("(>=7.5,+)", "(>=7,5,+)", 9, 4, "'c' has no state '>=7'; did you mean '>=7.5'?");
    refused("(>=7.5,+)", "(>=7.5)", 9, 9, "'d' has 2 parents, this row has 1");
    refused("(>=7.5,+)", "(>=7.5,+,+)", 9, 12, "this row has more");
    refused("(>=7.5,+)", "(<5,-)", 9, 3, "given twice");
    refused("0.25 0.75", "0.25 0.76", 9, 3, "sum to 1.01");
    refused("0.25 0.75", "0.25", 9, 17, "1 numbers where 2 are needed");
    refused("0.25 0.75", "-0.25 1.25", 9, 3, "not a probability");
    refused("0.25 0.75", "0.25 nan", 9, 3, "NaN is not a probability");
    refused("default 0.5, 0.5;", "", 5, 1, "no row for (<5, +) and no default");
    refused("( a ) {", "( A ) {", 15, 15, "'A' is not declared; did you mean 'a'?");
    refused("( property | d ) {", "( a ) {", 17, 1, "second probability block");
    refused("( a ) {", "( a | d ) {", 15, 43, "numbers where");
    refused("{ +, - }", "{ +, + }", 11, 31, "two states named '+'");
    refused("discrete[2]", "discrete[3]", 11, 38, "declares 3 states and lists 2");
    refused("discrete[2]", "continuous[2]", 11, 19, "only discrete");
    refused("variable a {", "variable d {", 13, 10, "second time");
    refused("may come before the variables. */", "", 4, 1, "comment is never closed");
    refused("7,5\"", "7,5", 12, 40, "quotation is never closed");
    refused("network \"a", "} network \"a", 3, 1, "expected a block");
}

#[test]
fn cycles_are_named() {
    let text = SMALL.replacen("( a ) { table 0.333, 0.667; }", "( a | d ) { default 0.5, 0.5; }", 1);
    let error = BayesianNetwork::from_bif(&text).unwrap_err().to_string();
    assert!(error.contains("close a cycle: "), "{error}");
    assert!(error.contains("a → ") && error.contains(" → a") || error.contains("d → "), "{error}");
}

#[test]
fn truncated_files_are_refused_wherever_they_end() {
    let text = network_text("asia");
    for end in 0..text.trim_end().len() {
        match BayesianNetwork::from_bif(&text[..end]) {
            Err(Error::Parse { .. }) => {}
            other => panic!("cut at {end}: {other:?}"),
        }
    }
}

/// Names that are words of the grammar, or hold its marks, come back; those of other readers stand in quotes.
#[test]
fn every_name_survives_writing() {
    let names = [
        "property",
        "default",
        "table",
        "probability",
        "variable",
        "network",
        "type",
        "a;b",
        "}",
        "{",
        "a \" b",
        "\\",
        "a\\",
        "\"",
        "",
        " ",
        "//",
        "a//b",
        "/* c",
        "a\nb",
        "a\r\nb",
        "\u{2028}",
        "\u{feff}",
        "\u{c}",
        "\u{b}",
        "(",
        "|,[]",
        "é",
        "unknown",
    ];
    for (i, name) in names.iter().enumerate() {
        let other = names[(i + 7) % names.len()];
        let states = vec![(*name).to_string(), other.to_string()];
        let parent =
            Node { name: other.into(), states: states.clone(), parents: vec![], probabilities: vec![0.25, 0.75] };
        let child =
            Node { name: (*name).into(), states, parents: vec![0], probabilities: vec![0.5, 0.5, 0.125, 0.875] };
        let network = BayesianNetwork::new(*name, vec![parent, child]).unwrap();
        assert_eq!(BayesianNetwork::from_bif(&network.to_bif()).unwrap(), network, "{name:?}");
    }
}

fn two(row: &str) -> String {
    format!(
        "network unknown {{ }} variable a {{ type discrete [ 2 ] {{ x, y }}; }} variable b {{ type discrete [ 2 ] {{ x, y }}; }}
         probability ( a ) {{ table 0.5, 0.5; }} probability ( b | a ) {{ (x) {row}; default {row}; }}"
    )
}

#[test]
fn rows_are_repaired_within_a_tolerance_and_counted() {
    let run = Run::new(1).unwrap();
    let read = |row: &str, tolerance| {
        let options = BifOptions { tolerance, ..BifOptions::default() };
        BayesianNetwork::from_bif_with(&two(row), &options, &run)
    };
    let (network, repairs) = read("0.495, 0.495", Some(0.011)).unwrap();
    assert_eq!(network.node(1).probabilities, [0.5; 4]);
    assert_eq!(repairs, [Repair { variable: 1, scaled: 2, unseen: 0 }]);
    let (network, repairs) = read("NaN, nan", Some(0.01)).unwrap();
    assert_eq!(network.node(1).probabilities, [0.5; 4]);
    assert_eq!(repairs, [Repair { variable: 1, scaled: 0, unseen: 2 }]);
    assert_eq!(read("0.3, 0.7", Some(0.01)).unwrap().1, []);
    for (row, tolerance, says) in [
        ("0.495, 0.495", None, "a tolerance of 0.01 or more"),
        ("0.495, 0.495", Some(0.005), "a tolerance of 0.01 or more"),
        ("NaN, NaN", None, "a row of NaN"),
        ("NaN, 1", Some(0.01), "is not a probability"),
        ("0, 0", Some(0.99), "sum to 0"),
        ("-0.5, 1.5", Some(0.9), "is not a probability"),
        ("inf, 0", Some(0.9), "'inf' is not a number"),
    ] {
        let error = read(row, tolerance).unwrap_err().to_string();
        assert!(error.starts_with("line 2") && error.contains(says), "{row}: {error}");
    }
}

/// 3 KB of text asks for 2 GiB; nothing is taken.
#[test]
fn sizes_are_checked_before_memory_is_taken() {
    let mut text = String::from("network unknown { }\n");
    let names: Vec<String> = (0..28).map(|i| format!("x{i}")).collect();
    for name in &names {
        text += &format!("variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}\n");
    }
    for (i, name) in names.iter().enumerate() {
        let parents = if i == 0 { String::new() } else { format!(" | {}", names[..i].join(", ")) };
        text += &format!("probability ( {name}{parents} ) {{ default 0.5, 0.5; }}\n");
    }
    let error = BayesianNetwork::from_bif(&text).unwrap_err().to_string();
    assert!(error.contains("raise max_entries") && error.contains("33554432"), "{error}");
    let options = BifOptions { max_entries: 100, ..BifOptions::default() };
    let error = BayesianNetwork::from_bif_with(&text, &options, &Run::new(1).unwrap()).unwrap_err().to_string();
    // 2 + 4 + 8 + 16 + 32 = 62; 64 more are too many.
    assert!(error.contains("'x5' takes 64 entries, those before it 62; a file may have 100"), "{error}");
}

#[test]
fn a_cancelled_run_stops_reading_and_writing() {
    let network = network("munin1");
    let run = Run::new(1).unwrap();
    run.canceller().cancel();
    let text = network.to_bif();
    assert_eq!(BayesianNetwork::from_bif_with(&text, &BifOptions::default(), &run), Err(Error::Interrupted));
    assert_eq!(network.to_bif_within(&run), Err(Error::Interrupted));
}

#[test]
fn very_long_names_get_no_hint_and_short_messages() {
    let long = "x".repeat(50_000);
    let text =
        two("0.5, 0.5").replace("b | a", &format!("b | {long}")).replace("variable a", &format!("variable {long}y"));
    let start = std::time::Instant::now();
    let error = BayesianNetwork::from_bif(&text).unwrap_err().to_string();
    assert!(error.len() < 200, "{}", error.len());
    assert!(start.elapsed().as_secs_f64() < 1.0);
}
