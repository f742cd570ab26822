"""What a learned graph claims, looked at again on all rows: effects of edges, and of the edges that are not there."""

from phgs.verification.claims import verify
from phgs.verification.effects import EffectRow, EffectTable, Verification

__all__ = ["EffectRow", "EffectTable", "Verification", "verify"]
