class Ledger:
    iterations: int
    kev_ondemand: int
    kev_rowupdate: int
    kev_iter: int
    kev_computed: int
    inner_products: int
    kev_setup: int
    kev_observation: int
    kev_prediction: int
    kev_discarded: int
    def __init__(self, *, kernels: bool = True) -> None: ...
    @property
    def kernels(self) -> bool: ...
    def setup(self, evaluations: int) -> None: ...
    def charge(
        self,
        *,
        iterations: int = 0,
        lookups: int = 0,
        changes: int = 0,
        maintained_changes: int = 0,
        evaluations: int = 0,
        n: int = 0,
    ) -> None: ...
    def as_dict(self) -> dict[str, int | None]: ...
