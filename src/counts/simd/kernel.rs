//! The kernels by name.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// The instructions that count bits.
///
/// An engine takes the best that the processor has;
/// [`CountingEngine::with_kernel`](crate::counts::CountingEngine::with_kernel) chooses another. In Python the environment
/// variable `PHGS_KERNEL` (`portable`, `neon`, `avx2`, `avx512`) does, when a table is read. Results are the same bit for
/// bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kernel {
    /// Words of 64 bits; the population count is one instruction where the processor has it.
    Portable,
    /// 128 bits with a population count of each byte (64-bit ARM, little-endian).
    Neon,
    /// 256 bits, carry-save adders (x86-64 with AVX2).
    Avx2,
    /// 512 bits with a population count of each 64 (x86-64 with AVX-512 F and VPOPCNTDQ).
    Avx512,
}

impl Kernel {
    const ALL: [Self; 4] = [Self::Portable, Self::Neon, Self::Avx2, Self::Avx512];

    /// The kernels that this processor can run, the best last.
    pub fn available() -> &'static [Self] {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
            if avx2 && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
                return &[Self::Portable, Self::Avx2, Self::Avx512];
            }
            if avx2 {
                return &[Self::Portable, Self::Avx2];
            }
        }
        if cfg!(all(target_arch = "aarch64", target_endian = "little")) {
            // NEON belongs to the architecture.
            &[Self::Portable, Self::Neon]
        } else {
            &[Self::Portable]
        }
    }

    /// The best kernel that this processor can run.
    pub fn best() -> Self {
        Self::available()[Self::available().len() - 1]
    }

    /// The kernel that the environment variable `PHGS_KERNEL` names; `None` when it is not set or empty.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when it names no kernel or one that this processor cannot run.
    pub fn from_environment() -> Result<Option<Self>> {
        match std::env::var("PHGS_KERNEL") {
            Ok(name) if !name.is_empty() => Self::named(&name, "PHGS_KERNEL")?.supported("PHGS_KERNEL").map(Some),
            _ => Ok(None),
        }
    }

    /// The name, as `PHGS_KERNEL` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    fn named(name: &str, parameter: &'static str) -> Result<Self> {
        Self::ALL.into_iter().find(|kernel| kernel.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::parameter(parameter, format!("'{name}' is no kernel; choose one of {names}"))
        })
    }

    pub(super) fn supported(self, parameter: &'static str) -> Result<Self> {
        if Self::available().contains(&self) {
            Ok(self)
        } else {
            let names: Vec<_> = Self::available().iter().map(|k| k.name()).collect();
            let names = names.join(", ");
            Err(Error::parameter(parameter, format!("this processor cannot run {self}; it can run {names}")))
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::named(name, "kernel")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_named() {
        for kernel in Kernel::ALL {
            assert_eq!(kernel.name().parse::<Kernel>(), Ok(kernel));
            assert_eq!(kernel.supported("kernel").is_ok(), Kernel::available().contains(&kernel));
        }
        assert!("sse".parse::<Kernel>().is_err());
    }
}
