//! A quadtree over points with masses: the repulsion of far groups is that of their centres (Barnes and Hut 1986).

use super::Point;

/// A group whose cell looks smaller than this, as size over distance, counts as one point.
const OPENING: f64 = 1.0;

/// Cells this deep are not split: their points coincide.
const DEEPEST: u32 = 40;

const NONE: u32 = u32::MAX;

struct Cell {
    middle: Point,
    /// Half of the cell's side.
    half: f64,
    mass: f64,
    /// Sum of the places of its points, by mass; their centre once all are in.
    centre: Point,
    children: [u32; 4],
    leaf: bool,
}

/// A tree over points.
pub(super) struct Quadtree {
    cells: Vec<Cell>,
    stack: Vec<u32>,
}

impl Quadtree {
    pub(super) fn new(points: &[Point], masses: &[f64]) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in points {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let mut tree = Self { cells: Vec::with_capacity(2 * points.len()), stack: Vec::new() };
        let half = ((high[0] - low[0]).max(high[1] - low[1]) / 2.0).max(1e-6);
        tree.add_cell([(low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0], half);
        for (&point, &mass) in points.iter().zip(masses) {
            tree.insert(point, mass);
        }
        for cell in &mut tree.cells {
            cell.centre = cell.centre.map(|sum| sum / cell.mass);
        }
        tree
    }

    fn add_cell(&mut self, middle: Point, half: f64) -> u32 {
        let cell = Cell { middle, half, mass: 0.0, centre: [0.0; 2], children: [NONE; 4], leaf: true };
        self.cells.push(cell);
        self.cells.len() as u32 - 1
    }

    fn child(&mut self, at: u32, point: Point) -> u32 {
        let cell = &self.cells[at as usize];
        let right = point[0] >= cell.middle[0];
        let upper = point[1] >= cell.middle[1];
        let which = usize::from(right) + 2 * usize::from(upper);
        if cell.children[which] != NONE {
            return cell.children[which];
        }
        let quarter = cell.half / 2.0;
        let aside = |towards: bool| if towards { quarter } else { -quarter };
        let middle = [cell.middle[0] + aside(right), cell.middle[1] + aside(upper)];
        let new = self.add_cell(middle, quarter);
        self.cells[at as usize].children[which] = new;
        new
    }

    fn insert(&mut self, point: Point, mass: f64) {
        let mut at = 0;
        for depth in 0.. {
            let cell = &mut self.cells[at as usize];
            let (was_leaf, old_mass, old_sum) = (cell.leaf, cell.mass, cell.centre);
            cell.mass += mass;
            cell.centre = [cell.centre[0] + mass * point[0], cell.centre[1] + mass * point[1]];
            if was_leaf {
                let old = old_sum.map(|sum| sum / old_mass);
                if old_mass == 0.0 || depth == DEEPEST || old == point {
                    return;
                }
                // A second point: the first one moves into a cell of its own.
                cell.leaf = false;
                let below = self.child(at, old);
                let below = &mut self.cells[below as usize];
                (below.mass, below.centre) = (old_mass, old_sum);
            }
            at = self.child(at, point);
        }
    }

    /// The sum over all other points of mass × (place − other) / distance², the pull of a unit repulsion.
    pub(super) fn repulsion(&mut self, place: Point) -> Point {
        let mut sum = [0.0; 2];
        self.stack.clear();
        self.stack.push(0);
        while let Some(at) = self.stack.pop() {
            let cell = &self.cells[at as usize];
            let (x, y) = (place[0] - cell.centre[0], place[1] - cell.centre[1]);
            let squared = x * x + y * y;
            let side = 2.0 * cell.half;
            if cell.leaf || side * side < OPENING * OPENING * squared {
                if squared > 1e-12 {
                    let weight = cell.mass / squared;
                    sum[0] += x * weight;
                    sum[1] += y * weight;
                }
            } else {
                self.stack.extend(cell.children.iter().filter(|&&child| child != NONE));
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::Quadtree;

    #[test]
    fn is_close_to_the_sum_over_all_points() {
        // Points of a low-discrepancy sequence, some of them twice.
        let fraction = |i: usize, by: f64| (i as f64 * by).fract();
        let mut points: Vec<[f64; 2]> =
            (0..400).map(|i| [fraction(i, 0.754_877_666), fraction(i, 0.569_840_29)]).collect();
        points.extend_from_within(..20);
        let masses: Vec<f64> = (0..points.len()).map(|i| 1.0 + (i % 3) as f64).collect();
        let mut tree = Quadtree::new(&points, &masses);
        let (mut error, mut size) = (0.0, 0.0);
        for &[px, py] in &points {
            let mut exact = [0.0; 2];
            for (&[qx, qy], mass) in points.iter().zip(&masses) {
                let (x, y) = (px - qx, py - qy);
                let squared = x * x + y * y;
                if squared > 1e-12 {
                    exact = [exact[0] + mass * x / squared, exact[1] + mass * y / squared];
                }
            }
            let found = tree.repulsion([px, py]);
            error += (found[0] - exact[0]).hypot(found[1] - exact[1]);
            size += exact[0].hypot(exact[1]);
        }
        assert!(error < 0.05 * size, "{error} of {size}");
    }
}
