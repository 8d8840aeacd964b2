// The token of an invitation: made from its id with a key outside the database, so that it can be sent again without being kept.
import { createHmac } from 'node:crypto';

/** 43 base64url characters, the same each time. `invitationId`: 24 hex digits. Source: HMAC-SHA256 (RFC 2104). */
export function invitationToken(key: string, invitationId: string): string {
  return createHmac('sha256', key).update(`assay:invitation:${invitationId}`).digest('base64url');
}
