// How a person signs who decides by the link of a message: signed in, or by the token of the link; `off`: there are none.
export const LINK_PROOFS = ['sign-in', 'token', 'off'] as const;
export type LinkProof = (typeof LINK_PROOFS)[number];
