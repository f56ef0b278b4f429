//! Options of groups that make no sense.

use burn::nn::Linear;
use remat::Remat;

#[derive(Remat)]
struct Stack {
    #[checkpoint(every = 4, sqrt)]
    two_ways: Vec<Linear>,
    #[checkpoint(keep_last)]
    no_groups: Vec<Linear>,
    #[checkpoint(recursive, keep_last)]
    no_last: Vec<Linear>,
    #[checkpoint(every)]
    no_number: Vec<Linear>,
    #[checkpoint(sqrt = 2)]
    a_number: Vec<Linear>,
    #[checkpoint(every = 0)]
    empty_groups: Vec<Linear>,
    #[checkpoint(segments = 0)]
    no_segments: Vec<Linear>,
    #[checkpoint(evry = 3)]
    mistyped: Vec<Linear>,
    #[checkpoint(segments = 5)]
    too_many: [Linear; 3],
    #[checkpoint(every = 4)]
    optional: Option<Vec<Linear>>,
    #[checkpoint(every = 4)]
    single: Linear,
}

fn main() {}
