"""SGDClassifier by scikit-learn: the linear problem with and without bias, reached at a rate of about 1/T."""

VARIANTS = [{}]
REACHES = {"epochs": 3000}, 0.02  # on CSR examples it takes a hundredth of the step for the bias
ENDLESS = {"epochs": 1_000_000_000}
