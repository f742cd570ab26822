//! Files as memory: bit planes that were kept are there at once, and several processes share them.

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

/// The bytes of a file, which are read when they are looked at.
#[derive(Debug)]
pub struct MappedFile(Mmap);

impl MappedFile {
    /// Maps a file. Nobody may change it while it is mapped; it may be replaced by another of the same name.
    ///
    /// # Errors
    ///
    /// What the system says.
    #[allow(unsafe_code)]
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: bytes under a `&[u8]` must not change. The files that this package maps are written under another name,
        // renamed when they are whole, and never written to again.
        unsafe { Mmap::map(&file) }.map(Self)
    }
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::PackedCodes;

    #[test]
    fn planes_in_a_file_are_those_in_memory() {
        let codes: Vec<u8> = (0..70_000u32).map(|row| (row.wrapping_mul(2_654_435_761) >> 30) as u8).collect();
        let packed = PackedCodes::pack(&codes, 4);
        let path = std::env::temp_dir().join(format!("phgs-planes-{}", std::process::id()));
        std::fs::write(&path, [vec![7; 128], packed.bytes().collect::<Vec<_>>().concat()].concat()).unwrap();
        let file = Arc::new(MappedFile::open(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        assert_eq!(PackedCodes::held(file.clone(), 128, 70_000, 4).unwrap().to_bytes(), codes);
        assert!(PackedCodes::held(file, 192, 70_000, 4).is_err());
        assert!(MappedFile::open(&path).is_err());
    }
}
