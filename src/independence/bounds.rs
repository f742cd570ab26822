//! G² tests that need not be made, because a bound from smaller tables decides them.
//!
//! Of the tests of a pair only the largest p-value is kept. Most tests of a pair that depends strongly are far below it, and
//! a lower bound of the statistic shows that.

use super::rules::{DegreesOfFreedom, classical};
use crate::Variable;
use crate::counts::CountingSession;
use crate::stats::chi_squared_log_upper_tail;

/// The bounds, cheapest first, and how often each of them has been worth its while. Whether one is tried changes no result.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    of_x: Credit,
    of_y: Credit,
    degrees: Credit,
}

impl Bounds {
    /// Whether the p-value of x ⫫ y | given is below `log_p_value` beyond doubt. x is the variable whose tables are at hand.
    pub(super) fn is_below(
        &mut self,
        counting: &mut CountingSession<'_, '_>,
        rule: DegreesOfFreedom,
        x: Variable,
        y: Variable,
        given: &[Variable],
        log_p_value: f64,
    ) -> bool {
        let engine = counting.engine();
        // Adjusted degrees of freedom are not above the classical ones.
        let most = classical(engine.shape(), x, y, given);
        let mut information = f64::NEG_INFINITY;
        for (credit, x, y) in [(&mut self.of_x, x, y), (&mut self.of_y, y, x)] {
            let decided = credit.spend(|| {
                information = information.max(engine.scale().value(counting.information_at_least(x, y, given)));
                is_surely_below(information, most, log_p_value)
            });
            if decided {
                return true;
            }
        }
        rule == DegreesOfFreedom::Adjusted
            && information > 0.0
            && self.degrees.spend(|| {
                let degrees = counting.observed_degrees_of_freedom(x, y, given) as f64;
                degrees < most && is_surely_below(information, degrees, log_p_value)
            })
    }
}

/// Whether the p-value of x ⫫ y | given is below `log_p_value` beyond doubt, as tables show that a source has given before. It
/// asks for nothing.
pub(super) fn is_known_below(
    counting: &mut CountingSession<'_, '_>,
    x: Variable,
    y: Variable,
    given: &[Variable],
    log_p_value: f64,
) -> bool {
    let engine = counting.engine();
    let most = classical(engine.shape(), x, y, given);
    [(x, y), (y, x)].into_iter().any(|(x, y)| {
        let information = counting.known_information_at_least(x, y, given);
        information.is_some_and(|information| is_surely_below(engine.scale().value(information), most, log_p_value))
    })
}

/// Whether at least this information at no more than these degrees of freedom has a p-value below `log_p_value`, whatever
/// the rounding of either.
fn is_surely_below(information: f64, degrees: f64, log_p_value: f64) -> bool {
    // Far above the rounding of the sums, and far enough that the p-value moves by more than its own rounding.
    const LEAST: f64 = 1e-3;
    const MARGIN: f64 = 1.0 - 1e-6;
    information > LEAST && chi_squared_log_upper_tail(2.0 * information * MARGIN, degrees) < log_p_value
}

/// Something that is tried as long as it succeeds in about a quarter of all tries, else once in a while.
#[derive(Debug, Default)]
struct Credit {
    balance: i32,
    passed_over: u32,
}

impl Credit {
    const MOST: i32 = 32;
    const LEAST: i32 = -4;
    const GAIN: i32 = 3;
    const PASSED_OVER: u32 = 32;

    fn spend(&mut self, attempt: impl FnOnce() -> bool) -> bool {
        if self.balance < 0 && self.passed_over < Self::PASSED_OVER {
            self.passed_over += 1;
            return false;
        }
        self.passed_over = 0;
        let success = attempt();
        self.balance = (self.balance + if success { Self::GAIN } else { -1 }).clamp(Self::LEAST, Self::MOST);
        success
    }
}
