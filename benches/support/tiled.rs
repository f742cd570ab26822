//! Data of a tiled network, as in the paper: copies of ALARM joined at random, from fixed seeds.

use std::io::Read;
use std::path::PathBuf;

use phgs::data::DiscreteData;
use phgs::network::BayesianNetwork;
use phgs::run::Run;

/// Rows of `copies` copies of ALARM, and for each variable the group of copies that it lies in, 20 groups at most.
pub struct Alarm {
    pub data: DiscreteData,
    pub labels: Vec<u32>,
}

impl Alarm {
    pub fn new(copies: usize, n_rows: usize) -> Self {
        let run = Run::new(0).expect("threads");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("python/phgs/network_files/alarm.bif.gz");
        let file = std::fs::File::open(path).expect("the bundled network");
        let mut text = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("text");
        let alarm = BayesianNetwork::from_bif(&text).expect("a network");
        let tiled = alarm.tile(copies, 1, &run).expect("tiles").network;
        let data = tiled.sample(n_rows, 1, &run).expect("rows");
        let copy = |name: &str| name.rsplit('_').next().and_then(|n| n.parse().ok()).unwrap_or(0usize);
        let labels = tiled.nodes().iter().map(|node| (copy(&node.name) * copies.min(20) / copies) as u32).collect();
        Self { data, labels }
    }

    /// The size, as ids of benches give it.
    pub fn size(&self) -> String {
        format!("alarm/p{}/n{}", self.data.n_variables(), self.data.n_rows())
    }
}
