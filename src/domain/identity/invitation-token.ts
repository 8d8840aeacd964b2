// Invitation tokens: derived from the id with a key outside the database, so they can be resent without being stored.
import { createHmac } from 'node:crypto';

/** 43 base64url characters, the same for the same id (24 hex digits): HMAC-SHA256 (RFC 2104). */
export function deriveInvitationToken(key: string, invitationId: string): string {
  return createHmac('sha256', key).update(`assay:invitation:${invitationId}`).digest('base64url');
}
