from numpy.typing import ArrayLike

class Pool:
    def __init__(self, order: ArrayLike, capacity: int) -> None: ...
