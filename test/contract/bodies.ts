// Creates bodies with every member that a caller may send; each text contains the mark of its tenant.
import { createHash } from 'node:crypto';
import { generateHex } from '../../src/platform/ids.ts';
import { buildDecision } from '../setup/personas.ts';
import { FIRST_CERTIFICATE } from '../setup/providers/certificates.ts';

export const createPolicyBody = (mark: string): Record<string, unknown> => ({
  name: `${mark} policy`,
  description: `${mark} description`,
  enabled: true,
  priority: 5,
  conditions: [
    {
      field: 'outputDecision.action',
      operator: 'equals',
      value: `${mark} wipe`,
      logicalOperator: 'AND',
    },
  ],
  actions: [{ type: 'flag_for_review', config: { reason: `${mark} reason` } }],
});

/** All metadata of a model. */
export const createModelMetadata = (mark: string): Record<string, unknown> => ({
  provider: `${mark} provider`,
  model: `${mark} model`,
  version: '2.1',
  license: `${mark} licence`,
  riskClass: 'limited',
  purpose: `${mark} purpose`,
  trainingDataSummary: `${mark} summary`,
  datasets: [
    {
      name: `${mark} data`,
      uri: 's3://bucket/data',
      license: 'CC-BY-4.0',
      sha256: '5'.repeat(64),
      description: `${mark} description`,
    },
  ],
});

const hashMark = (mark: string): string => createHash('sha256').update(mark).digest('hex');

/** The `traceId` that the decisions of a tenant name as their parent. */
export const deriveParentId = (mark: string): string => `trc_${hashMark(mark).slice(0, 32)}`;

/** The session of a tenant's decisions. Other tenants ask for it: it does not hold the mark. */
export const deriveSessionId = (mark: string): string => `run-${hashMark(mark).slice(0, 12)}`;

export const createDecisionBody = (agentId: string, mark: string): Record<string, unknown> =>
  buildDecision(agentId, {
    agentVersion: '1.2.3',
    triggeringCondition: `${mark} condition`,
    rationale: `${mark} rationale: the order was shipped yesterday according to the tracking system.`,
    alternatives: [{ decision: `${mark} other`, confidence: 0.2 }],
    metadata: { note: `${mark} note` },
    timestamp: '2025-05-05T05:05:05.005Z',
    sessionId: deriveSessionId(mark),
    parentTraceId: deriveParentId(mark),
    actor: [{ type: 'user', id: `customer-${hashMark(mark).slice(0, 12)}`, issuer: 'shop' }],
    labels: ['orders'],
  });

export const createSsoBody = (mark: string): Record<string, unknown> => ({
  provider: 'oidc',
  requireMfaEvenWithSso: false,
  requireSso: false,
  justInTime: true,
  oidc: {
    issuer: 'https://login.example.com/tenant',
    clientId: `${mark} client`,
    clientSecret: `${mark} secret`,
    subjectClaim: 'sub',
    groupsClaim: 'groups',
  },
  saml: {
    entityId: `${mark} provider`,
    ssoUrl: 'https://login.example.com/saml',
    sloUrl: 'https://login.example.com/saml/logout',
    certificates: [FIRST_CERTIFICATE],
    nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    emailAttribute: 'email',
    nameAttribute: 'name',
    groupsAttribute: 'groups',
  },
});

/** A webhook to a closed loopback port, which the contract's installation allows. */
export const createWebhookBody = (mark: string): Record<string, unknown> => ({
  url: `https://127.0.0.1:1/${generateHex(8)}`,
  events: ['trace.created', 'alert.triggered'],
  description: `${mark} description`.slice(0, 100),
  type: 'custom',
  isActive: true,
});

/** An alert rule with one action of every kind, to destinations that the contract's installation allows. */
export const createAlertBody = (mark: string): Record<string, unknown> => ({
  name: `${mark} rule`.slice(0, 100),
  description: `${mark} description`,
  severity: 'critical',
  isActive: true,
  condition: { field: 'confidenceScore', operator: 'lt', value: 0.2 },
  actions: [
    { type: 'chat', target: 'https://127.0.0.1:1/chat' },
    { type: 'webhook', target: 'https://127.0.0.1:1/hook' },
    { type: 'email', target: 'alerts@example.com' },
  ],
});

export const createScimUserBody = (mark: string): Record<string, unknown> => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `${mark}-${generateHex(6)}@example.com`,
  displayName: `${mark} person`,
  name: { formatted: `${mark} Person`, givenName: mark, familyName: 'Person' },
  active: true,
  externalId: `${mark} ${generateHex(6)}`,
  emails: [{ value: `${mark}-${generateHex(6)}@example.com`, type: 'work', primary: true }],
  groups: [{ value: 'g1', display: `${mark} group` }],
});
