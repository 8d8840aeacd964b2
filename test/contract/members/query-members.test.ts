// A query member that an operation does not know is refused, but where others write the address.
import { expect } from 'vitest';
import { test } from '../fixtures.ts';
import { mounted } from '../mounted.ts';
import { selectCredentials } from '../requests.ts';
import { createTenant } from '../tenant.ts';

/** Probes, verifiers, identity providers and SCIM clients add members of their own (decisions: requests and answers). */
const OPEN = [
  'GET /.well-known/authzen-configuration',
  'GET /.well-known/jwks.json',
  'GET /api/v1/auth/oauth-a/callback',
  'GET /api/v1/auth/oauth-b/callback',
  'GET /api/v1/auth/oauth-c/callback',
  'GET /api/v1/auth/saml/logout/callback',
  'GET /api/v1/auth/saml/metadata/:orgId',
  'GET /api/v1/auth/sso/callback',
  'GET /api/v1/auth/sso/callback/:orgId',
  'GET /api/v1/auth/sso/logout/callback',
  'GET /decide/:token',
  'GET /health',
  'GET /ready',
  'POST /api/v1/auth/saml/logout/callback',
];

test('every operation but those refuses a query member that it does not know', async ({
  harness,
}) => {
  const tenant = await createTenant(harness, 'query');
  await harness.db.collection('users').updateMany({}, { $set: { systemRole: 'owner' } });
  const served: string[] = [];
  let refused = 0;
  for (const [operation, { route }] of mounted) {
    const [method = '', path = ''] = operation.split(' ');
    const credentials = route.auth.endsWith('Key')
      ? { key: tenant.key }
      : selectCredentials(tenant, operation);
    const address = `${path.replace(/:\w+/g, 'a')}?unheardOf=1`;
    const { status, body, text: plain } = await harness.app.call(method, address, credentials);
    // The errors of OTLP and AuthZEN, and problems, have the code before the text.
    const text = String(body?.error ?? body?.message ?? body?.detail ?? plain).replace(
      /^VALIDATION_ERROR: /,
      '',
    );
    const isRefused = status === 400 && text.startsWith('unheardOf: ');
    if (isRefused) refused += 1;
    else if (!path.startsWith('/scim/')) served.push(operation);
    if (isRefused && body?.error) expect(body.code).toBe('VALIDATION_ERROR');
  }
  expect(served.sort()).toEqual(OPEN);
  expect(refused).toBeGreaterThan(150);
});

test('the refusal names the member and those that are known, in bounded text', async ({
  harness,
}) => {
  const { owner } = await createTenant(harness, 'misspelt');
  const long = 'x'.repeat(5000);
  const answers = await Promise.all(
    ['?stauts=approved', `?${long}=1`, '?status[$ne]=approved', '?__proto__=1'].map((search) =>
      harness.app.call('GET', `/api/v1/traces${search}`, { token: owner.token }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(answers[0]?.body.error).toBe(
    'stauts: no such query member; known are: traceId, status, agentId, sessionId, parentTraceId, policyId, humanOverride, observed, minConfidence, maxConfidence, dateFrom, dateTo, search, text, tool, tag, workspaceId, minAmount, maxAmount, heldSeconds, subjectId, decidedBy, page, limit',
  );
  expect(answers[1]?.text.length).toBeLessThan(3000);
});
