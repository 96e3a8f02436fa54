"""The subcommands, and what each is for."""

COMMANDS = {
    "run": "train a solver on a data set; with -m, every combination of the values given",
    "plan": "say what a sweep would run: stored, missing, expected time and memory",
    "status": "say how far a sweep is",
    "resume": "go on with a sweep that was interrupted or has failures",
    "best": "say which setting of a sweep won, and print its command",
    "list": "list the stored runs",
    "show": "show one stored run: its end, its last numbers, its configuration",
    "plot": "draw the curves of stored runs",
    "compare": "compare what two groups of stored runs pay to reach a target",
    "profile": "draw the share of problems solved against cost, for any set of stored runs",
    "report": "write stored runs as one HTML page that works offline",
    "verify": "check the files of stored runs, or make their numbers anew",
    "repair": "set damaged runs aside",
    "predict": "score the rows of a file by the model of a stored run",
    "datasets": "list the data sets, fetch one, or verify its files",
    "solvers": "list the solvers: what each solves, needs and cites",
    "paper": "plan, run, draw or judge a figure of a paper",
    "speed": "measure this machine, what kernel rows and solvers reach of it, and baselines beside them",
    "completion": "print the completion for bash or zsh",
    "help": "show this help, or that of a command",
}
