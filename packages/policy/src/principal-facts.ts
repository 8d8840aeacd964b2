// What policies know of the one on whose behalf an agent acts (docs/guides/policies.md), and of a grant.

export interface PrincipalFacts {
  /** A run token says who acts. */
  verified: boolean;
  /** A user stands at the end of the chain: only agents stand before the end. */
  human: boolean;
  /** How many the chain has. */
  depth: number;
}

/** Those of a decision that was posted with a key. */
export const NO_PRINCIPAL: PrincipalFacts = { verified: false, human: false, depth: 0 };

/** The tag of a decision that its grant blocked. */
export const GRANT_TAG = 'OUTSIDE_GRANT';
/** The tag of a decision that a halt blocked or held. */
export const HALT_TAG = 'HALTED';
/** The tag of a decision that would have passed a limit. */
export const LIMIT_TAG = 'LIMIT_REACHED';
/** The tag of a decision that a standing grant let through. */
export const STANDING_GRANT_TAG = 'STANDING_GRANT';
