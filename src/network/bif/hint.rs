//! Near matches of mistyped names, for error texts.

/// Names with more letters than this get no hint.
const LONGEST_HINT: usize = 80;

/// "; did you mean 'x'?" where a name is one that differs in case only or by one or two letters.
pub(super) fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let length = name.chars().count();
    // Nobody mistypes so long a name, and comparing takes time as its length times theirs.
    if length > LONGEST_HINT {
        return String::new();
    }
    let lower = name.to_lowercase();
    let nearest = known
        .filter(|other| other.len() <= 4 * (LONGEST_HINT + 2) && other.chars().count().abs_diff(length) <= 2)
        .map(|other| (edit_distance(&lower, &other.to_lowercase()), other))
        .filter(|&(distance, _)| distance <= 2 && distance < lower.chars().count())
        .min_by_key(|&(distance, _)| distance);
    nearest.map_or_else(String::new, |(_, other)| format!("; did you mean '{other}'?"))
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
