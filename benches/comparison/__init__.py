"""Side-by-side comparison of phgs with other packages: `compare.py` beside this folder is its command.

`tasks` says what is compared and with which settings, `datasets` makes the data, `worker` runs one package on one data
set in a process of its own (it needs that package, not phgs), `packages` has one file for each package, `running`
starts and limits workers, `report` puts answers beside the truth, all measured by phgs.
"""
