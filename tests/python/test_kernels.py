"""The environment variable that chooses a counting kernel."""

import pytest

import phgs

NETWORK = phgs.Network.load("asia")


def test_every_kernel_learns_the_same(monkeypatch):
    data = NETWORK.sample(500, seed=1)
    found = phgs.learn(data, "pc", progress=False)
    monkeypatch.setenv("PHGS_KERNEL", "portable")
    plain = phgs.learn(data, "pc", progress=False)
    assert plain.cpdag == found.cpdag
    assert plain.separation("asia", "smoke") == found.separation("asia", "smoke")


@pytest.mark.parametrize("name", ["sse", "neon, avx2"])
def test_a_wrong_kernel_is_an_error(monkeypatch, name):
    monkeypatch.setenv("PHGS_KERNEL", name)
    with pytest.raises(phgs.ParameterError, match=f"PHGS_KERNEL.*'{name}' is no kernel; choose one of portable"):
        phgs.learn(NETWORK.sample(50, seed=1), "pc", progress=False)
