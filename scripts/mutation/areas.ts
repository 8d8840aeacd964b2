// The areas whose tests are tried, and the quick tests that have to notice a change there.

export interface Area {
  name: string;
  /** Files, or folders with all that is below them. */
  sources: readonly string[];
  /** The nearest first: it is run by itself, and the others only while it notices nothing. */
  tests: readonly string[];
}

export const AREAS: readonly Area[] = [
  {
    name: 'domain/record',
    sources: ['src/domain/record'],
    tests: [
      'test/domain/record',
      'test/domain/verifier',
      'test/api/hash-chain',
      'test/api/traces',
      'test/api/erasure',
    ],
  },
  {
    name: 'domain/policies',
    sources: ['src/domain/policies'],
    tests: ['test/domain/policies', 'test/api/policies', 'test/api/traces'],
  },
  {
    name: 'ledger/append',
    sources: ['src/ledger/append'],
    tests: [
      'test/ledger',
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
      'test/ledger/store/bson-reader.test.ts',
      'test/api/hash-chain',
      'test/api/audit',
      'test/api/audit-bundles',
    ],
  },
  {
    name: 'scripts/verify-bundle',
    sources: ['scripts/verify-bundle'],
    tests: [
      'test/domain/verifier',
      'test/domain/log',
      'test/domain/record/bundle.test.ts',
      'test/domain/record/payload.test.ts',
      'test/api/audit-bundles',
      'test/api/hash-chain/tampering',
    ],
  },
  {
    name: 'http/checks',
    sources: ['src/http/checks'],
    tests: [
      'test/workers/shared-limits.test.ts',
      'test/api/http',
      'test/api/auth',
      'test/contract',
      'test/api/organization',
    ],
  },
  {
    name: 'mongo/tenancy',
    sources: ['src/platform/mongo/tenancy.ts'],
    tests: ['test/platform', 'test/contract/tenancy.test.ts'],
  },
  {
    name: 'domain/saml',
    sources: ['src/domain/saml'],
    tests: ['test/domain/saml', 'test/platform/outbound', 'test/api/sign-on'],
  },
  {
    name: 'domain/scim',
    sources: ['src/domain/scim'],
    tests: ['test/domain/scim', 'test/api/scim'],
  },
  {
    name: 'platform/outbound',
    sources: ['src/platform/outbound'],
    tests: [
      'test/platform/outbound',
      'test/domain/outbound',
      'test/api/sign-on',
      'test/api/webhooks',
      'test/api/billing',
    ],
  },
  {
    name: 'traces/review',
    sources: ['src/resources/traces/review'],
    tests: ['test/api/review-queue', 'test/api/traces', 'test/api/notifications'],
  },
  {
    name: 'policies/approvals',
    sources: ['src/resources/policies/approvals'],
    tests: ['test/api/policies', 'test/domain/policies'],
  },
  {
    name: 'erasure',
    sources: ['src/resources/erasure', 'src/domain/erasure', 'src/resources/organization/deletion'],
    tests: ['test/api/erasure', 'test/api/organization', 'test/api/audit-bundles'],
  },
  {
    name: 'workers',
    sources: ['src/workers'],
    tests: ['test/workers', 'test/platform/shared'],
  },
];
