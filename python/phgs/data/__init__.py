"""Input: any frame, array, mapping of columns or file becomes a `Table` of state codes.

Data flows one way: `files` reads a file into a frame, `frames` takes any frame apart into named columns, `kinds` says
which are numbers, `columns` numbers the values of one column, `checks` refuses what cannot be used, `table` puts the
columns together (`auto` those of which it was found out what they are), and `findings` says what stands out
(`relations`: what determines what). pyarrow parses the files.
"""

from phgs.data.base import Data
from phgs.data.discretise import discretize
from phgs.data.files import read_csv, read_file
from phgs.data.gaussian import GaussianTable, IncompleteGaussianTable, as_gaussian, gaussian_from_correlation
from phgs.data.mixed import IncompleteMixedTable, Mixed, MixedTable
from phgs.data.reading import as_data
from phgs.data.shards import Shards, shards
from phgs.data.table import CategoricalTable, IncompleteTable, Table, as_table

__all__ = [
    "CategoricalTable",
    "Data",
    "GaussianTable",
    "IncompleteGaussianTable",
    "IncompleteMixedTable",
    "IncompleteTable",
    "Mixed",
    "MixedTable",
    "Shards",
    "Table",
    "as_data",
    "as_gaussian",
    "as_table",
    "discretize",
    "gaussian_from_correlation",
    "read_csv",
    "read_file",
    "shards",
]
