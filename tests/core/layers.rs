//! No module of the crate imports upwards.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Modules of the crate from the ground up; those of one floor do not know each other.
const FLOORS: [&[&str]; 10] = [
    &["error", "layout", "random_numbers", "stats", "subsets", "variables"],
    &["run"],
    &["data", "graph"],
    &["counts", "knowledge"],
    &["score"],
    &["discretise", "independence"],
    &["skeleton"],
    &["orient"],
    &["search"],
    &["hybrid", "network"],
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// What follows `crate::` in the code of a file, its tests and comments left out, up to the first sign that no path has.
fn imports(path: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(path).expect("text");
    let code = text.split("#[cfg(test)]").next().expect("a first part");
    let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let ends = |sign: char| !(sign.is_alphanumeric() || sign == '_' || sign == ':');
    code.split("crate::").skip(1).map(|rest| rest.split(ends).next().expect("a first part").to_owned()).collect()
}

#[test]
fn no_module_imports_upwards() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let floor = |module: &str| FLOORS.iter().position(|names| names.contains(&module));
    let mut seen = BTreeSet::new();
    for path in files(&source) {
        let inside = path.strip_prefix(&source).expect("below");
        let module = inside.components().next().expect("a name").as_os_str().to_str().expect("text");
        let module = module.trim_end_matches(".rs").to_owned();
        // The crate itself re-exports all of them, and the binding stands above.
        if module == "lib" || module == "python" {
            continue;
        }
        let here = floor(&module).unwrap_or_else(|| panic!("{module} is on no floor"));
        for import in imports(&path) {
            let there = import.split(':').next().expect("a first part").to_owned();
            // `crate::Variable` and others that the crate itself has.
            if let Some(below) = floor(&there) {
                assert!(there == module || below < here, "{} imports {there}", inside.display());
            } else {
                assert!(there != "python" && there != "lib", "{} imports {there}", inside.display());
            }
        }
        seen.insert(module);
    }
    let all: BTreeSet<String> = FLOORS.concat().into_iter().map(str::to_owned).collect();
    assert_eq!(seen, all, "floors have modules that are not there");
}

#[test]
fn kernels_know_no_algorithm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/counts/simd");
    for path in files(&folder) {
        for import in imports(&path).into_iter().filter(|import| import.starts_with("counts")) {
            // `use crate::counts::simd::…` alone.
            assert!(import.starts_with("counts::simd::"), "{} imports {import}", path.display());
        }
    }
}
