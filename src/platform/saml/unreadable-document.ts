// What is answered for a SAML message or metadata that cannot be read.

/** Code and text by the kind of request. */
export const UNREADABLE_DOCUMENT = {
  response: { code: 'TOKEN_VERIFICATION_FAILED', text: 'The SAML message cannot be read' },
  logout: { code: 'TOKEN_VERIFICATION_FAILED', text: 'The SAML message cannot be read' },
  metadata: { code: 'VALIDATION_ERROR', text: 'The metadata cannot be read' },
} as const;
