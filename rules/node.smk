"""A batch on a node of a cluster: read only there, where Snakemake runs again to make one group of jobs.

Snakemake tells the node which files to make, but neither how the group came about nor to keep going, and it takes both
settings only when it begins to execute. Without them the node would make its captures one after another, each in
processes of its own, and would leave a batch at the first verdict that cannot be had.
"""

begin_to_execute = workflow.execute


def execute_batch(*args, **kwargs):
    """Execute all that this node is asked for as one group, to the end."""
    workflow.group_settings.group_components = dict.fromkeys(["batch", "checks", "again"], sys.maxsize)
    workflow.execution_settings.keep_going = True
    return begin_to_execute(*args, **kwargs)


workflow.execute = execute_batch
