//! Random programs: what the analysis accepts never overwrites a buffer that somebody else holds.

use super::super::flow::faults;
use grammar::{Program, Statement};
use proptest::prelude::*;

mod grammar;
mod machine;
mod program;

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000,
        failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_unsafe_program_is_accepted(choices in proptest::collection::vec(any::<u32>(), 4..60)) {
        let program = Program::from(choices);
        if faults(&program.text()).is_empty() {
            for choice in 0..16 {
                prop_assert!(machine::overwrites_alone(&program, choice), "{}", program.text());
            }
        }
    }
}

/// An analysis that rejects everything would pass the other test.
#[test]
fn safe_programs_are_accepted() {
    let (mut safe, mut accepted) = (0, 0);
    let mut choices = 7u32;
    for _ in 0..3000 {
        let mut next = || {
            choices = choices.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            choices >> 8
        };
        let program = Program::from((0..30).map(|_| next()).collect::<Vec<u32>>());
        let in_place = |statement: &Statement| statement.is_in_place();
        if !program.any(&in_place)
            || !(0..16).all(|choice| machine::overwrites_alone(&program, choice))
        {
            continue;
        }
        safe += 1;
        accepted += usize::from(faults(&program.text()).is_empty());
    }
    assert!(safe > 200, "{safe} safe programs are too few to tell");
    assert!(accepted * 10 >= safe * 9, "{accepted} of {safe}");
}
