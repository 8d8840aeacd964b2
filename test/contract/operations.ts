// The project's own transcription of the interface: every operation that must answer, and no other may.

/** Operations of the specification, by the section that describes them. */
const SPECIFIED = {
  'document 1, section 1': ['GET /health'],
  'document 1, section 4.1': [
    'POST /api/v1/auth/register',
    'POST /api/v1/auth/login',
    'POST /api/v1/auth/refresh',
    'POST /api/v1/auth/logout',
    'POST /api/v1/auth/revoke-sessions',
    'POST /api/v1/auth/revoke-session',
    'GET /api/v1/auth/me',
    'GET /api/v1/auth/me/orgs',
    'POST /api/v1/auth/switch-org',
  ],
  'document 1, section 4.2': [
    'POST /api/v1/auth/keys',
    'GET /api/v1/auth/keys',
    'PATCH /api/v1/auth/keys/:id',
    'DELETE /api/v1/auth/keys/:id',
  ],
  'document 1, section 4.3': [
    'GET /api/v1/agents',
    'POST /api/v1/agents',
    'GET /api/v1/agents/:id',
    'PATCH /api/v1/agents/:id',
    'DELETE /api/v1/agents/:id',
    'POST /api/v1/agents/:id/regenerate-key',
    'PATCH /api/v1/agents/:id/policies',
    'GET /api/v1/agents/:id/versions',
    'GET /api/v1/agents/:id/analytics',
    'GET /api/v1/agents/:id/ml-bom',
    'POST /api/v1/agents/:id/ml-bom/refresh',
    'GET /api/v1/agents/onboarding/draft',
    'PATCH /api/v1/agents/:id/onboarding',
    'POST /api/v1/agents/:id/onboarding/complete',
    'DELETE /api/v1/agents/:id/onboarding',
  ],
  'document 2, section 4.1': [
    'POST /api/v1/traces',
    'GET /api/v1/traces',
    'GET /api/v1/traces/:id',
    'GET /api/v1/traces/:id/ml-bom',
    'POST /api/v1/traces/bulk-status',
    'POST /api/v1/traces/bulk-delete',
  ],
  'document 2, section 4.2': [
    'GET /api/v1/policies',
    'POST /api/v1/policies',
    'PATCH /api/v1/policies/:id',
    'DELETE /api/v1/policies/:id',
    'GET /api/v1/policies/templates',
    'POST /api/v1/policies/from-template',
  ],
  'document 2, section 4.5': [
    'GET /api/v1/hash-chain/status',
    'POST /api/v1/hash-chain/verify',
    'GET /api/v1/hash-chain/entry/:traceId',
    'GET /api/v1/hash-chain/entries',
    'GET /api/v1/hash-chain/entries/:id',
    'GET /api/v1/hash-chain/anchors',
    'GET /api/v1/hash-chain/anchors/:anchorId/proof',
    'GET /api/v1/hash-chain/export',
    'GET /api/v1/hash-chain/bundle',
  ],
  'document 3, section 4.4': ['GET /api/v1/audit', 'GET /api/v1/audit/verify'],
};

/** Additions of the design, each with its reason. */
const ADDED = {
  'answers only when requests can be served': ['GET /ready'],
  'records belong to workspaces, so there is a way to make them': [
    'GET /api/v1/workspaces',
    'POST /api/v1/workspaces',
    'PATCH /api/v1/workspaces/:id',
  ],
  'the chain names policies by revision and set, so both can be read': [
    'GET /api/v1/policies/:id',
    'GET /api/v1/policies/:id/revisions',
    'GET /api/v1/policies/:id/revisions/:revision',
    'GET /api/v1/policies/sets/:digest',
  ],
};

export const operations: readonly string[] = [SPECIFIED, ADDED].flatMap((part) => Object.values(part).flat());
