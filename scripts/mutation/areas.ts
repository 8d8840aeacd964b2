// The areas whose tests are tried, and the quick tests that have to notice a change there.

export interface Area {
  name: string;
  /** Files, or folders with all that is below them. */
  sources: readonly string[];
  /** The tests need no database. */
  pure?: true;
  /** Parts of paths. Files named like the one that was changed run first, and one that fails ends the run. */
  tests: readonly string[];
}

/** The generated documents show what a route or a schema declares. */
const DOCUMENTS = 'test/contract/documents.test';

export const AREAS: readonly Area[] = [
  {
    name: 'domain/record',
    sources: ['src/domain/record'],
    pure: true,
    tests: [
      'test/domain/record/c',
      'test/domain/record/payload',
      'test/domain/record/persons-verdict',
      'test/domain/record/s',
      'test/domain/record/t',
      'test/domain/record/bundle',
      'packages/verifier/test/verify-bundle.test',
    ],
  },
  {
    name: 'packages/policy',
    sources: ['packages/policy/src', 'src/domain/policies'],
    pure: true,
    tests: ['packages/policy/test', 'test/domain/policies'],
  },
  {
    name: 'packages/scrub',
    sources: ['packages/scrub/src', 'packages/patterns/src'],
    pure: true,
    tests: ['packages/scrub/test', 'packages/patterns/test', 'test/domain/scrub'],
  },
  {
    name: 'ledger/append',
    sources: ['src/ledger/append'],
    tests: [
      'test/ledger/append',
      'test/ledger/simulation',
      'test/ledger/amendments',
      'test/ledger/joint-runs',
      'test/api/traces/traces.test.ts',
      'test/api/traces/ingestion/idempotency.test.ts',
      'test/api/traces/usage.test.ts',
    ],
  },
  {
    name: 'ledger/verify',
    sources: ['src/ledger/verify'],
    tests: [
      'test/ledger/verify',
      'test/ledger/store/bson-reader',
      'test/api/hash-chain',
      'test/api/audit-bundles',
    ],
  },
  {
    name: 'packages/verifier',
    sources: ['packages/verifier/src'],
    pure: true,
    tests: [
      'packages/verifier/test/archive',
      'packages/verifier/test/decision-story',
      'packages/verifier/test/destruction',
      'packages/verifier/test/disclosures',
      'packages/verifier/test/executions',
      'packages/verifier/test/l',
      'packages/verifier/test/mark-set',
      'packages/verifier/test/policy',
      'packages/verifier/test/verify-bundle.test',
      'packages/verifier/test/log/verifier-notes',
      'packages/tlog/test/witness-policy',
      'packages/verifier/test/mutations',
      'test/domain/record/bundle',
      'test/api/log/stamps/verified',
    ],
  },
  {
    name: 'http/checks',
    sources: ['src/http/checks'],
    tests: [
      'test/api/http',
      'test/workers/shared-limits',
      'test/api/organization/workspaces',
      'test/api/auth/auth.test',
      'test/api/traces/batch.test',
      'test/contract/bad-input/headers',
    ],
  },
  {
    name: 'mongo/tenancy',
    sources: ['src/platform/mongo/tenancy.ts'],
    tests: ['test/platform/tenancy', 'test/contract/tenancy'],
  },
  {
    name: 'packages/saml',
    sources: ['packages/saml/src'],
    pure: true,
    tests: ['packages/saml/test', 'test/platform/outbound/saml-'],
  },
  {
    name: 'packages/scim',
    sources: ['packages/scim/src'],
    pure: true,
    tests: ['packages/scim/test'],
  },
  {
    name: 'packages/otlp-decisions',
    sources: ['packages/otlp-decisions/src', 'src/domain/otlp'],
    pure: true,
    tests: ['packages/otlp-decisions/test', 'test/domain/otlp'],
  },
  {
    name: 'platform/outbound',
    sources: ['src/platform/outbound', 'src/domain/outbound'],
    tests: [
      'test/domain/outbound',
      'test/platform/outbound',
      'test/api/sign-on/oidc',
      'test/api/billing/billing',
    ],
  },
  {
    name: 'domain/identity',
    sources: ['src/domain/identity', 'src/domain/network', 'src/domain/sign-on'],
    pure: true,
    tests: ['test/domain/identity', 'test/domain/network', 'test/domain/sign-on'],
  },
  {
    name: 'domain/money',
    sources: ['src/domain/billing', 'packages/policy/src/amounts'],
    pure: true,
    tests: ['test/domain/billing', 'packages/policy/test/amounts', 'test/domain/policies/replay'],
  },
  {
    name: 'traces/review',
    sources: ['src/decisions/traces/review'],
    tests: [
      'test/api/review-queue',
      'test/api/notifications/review-notices',
      'test/api/review/',
      'test/api/traces/judgement',
      DOCUMENTS,
    ],
  },
  {
    name: 'policies/approvals',
    sources: ['src/policies/approvals'],
    tests: [
      'test/domain/policies/approval',
      'test/api/policies/policy-approvals',
      'test/api/policies/approval-steps',
      'test/api/notifications/other-notices',
      DOCUMENTS,
    ],
  },
  {
    name: 'erasure',
    sources: ['src/evidence/erasure', 'src/domain/erasure', 'src/identity/organization/deletion'],
    tests: [
      'test/api/erasure',
      'test/api/organization/organization.test',
      'test/api/audit-bundles',
      'test/api/hash-chain/bundle-erasure',
      DOCUMENTS,
    ],
  },
  {
    name: 'workers',
    sources: ['src/workers'],
    tests: ['test/workers', 'test/platform/shared'],
  },
];
