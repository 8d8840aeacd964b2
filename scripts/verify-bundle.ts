// Starts the offline verifier (packages/verifier), by the path that bundles name.
import '@assay/verifier/main';
