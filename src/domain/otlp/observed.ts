// Decisions after the fact: what was done before it was reported, such as a span of OpenTelemetry.

/** The tag of one that a policy would have held: it is done, and no review could stop it. */
export const OBSERVED_HOLD = 'OBSERVED_HOLD';
/** The tag of one whose arguments were not reported. */
export const NO_ARGUMENTS = 'NO_ARGUMENTS';
