// Approvals signed with passkeys: enrolled, confirmed, signed, revoked; what does not count; and what the verifier says.
import { canonicalize, type JsonObject } from '@assay/json';
import { verifyBundle } from '@assay/verifier';
import { beforeAll, expect, test } from 'vitest';
import {
  openSubject,
  prepareReviewAmendment,
} from '../../../../src/decisions/traces/review/review-amendment.ts';
import type { SignedStatement } from '../../../../src/identity/auth/credentials/signatures.service.ts';
import { useHarness } from '../../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../../setup/harness.ts';
import type { Passkey } from '../../../setup/passkeys/authenticator.ts';
import {
  beginPasskey,
  callCredentials,
  confirm,
  createPasskey,
  enrol,
  postPasskey,
} from '../../../setup/passkeys/enrolled.ts';
import {
  assertOk,
  buildDecision,
  createOwner,
  createWorkspaceKey,
  type Owner,
  PASSWORD,
} from '../../../setup/personas.ts';
import { MovedClock } from '../../../setup/second-factor.ts';
import { toOutcome } from '../../../setup/start-app.ts';

const clock = new MovedClock();
const harness = useHarness({ ASSAY_PUBLIC_URL: 'https://assay.example' }, { clock });
const { app } = harness;
const DAY = 86_400_000;

type Signer = Owner & { passkey: Passkey; id: string };
const people = {} as Record<'ada' | 'rita', Signer> & Record<'rolf', Owner>;
let key = '';

async function signIn<P extends Owner>(person: P): Promise<P> {
  const body = { email: person.email, password: PASSWORD };
  const { token } = assertOk(await app.call('POST', '/api/v1/auth/login', { body })).body.data;
  return { ...person, token };
}

beforeAll(async () => {
  const ada = await createOwner(app);
  const own = await enrol(app, ada);
  const early = await callCredentials(app, ada, { path: `/${own.id}/confirm`, body: {} });
  expect(toOutcome(early)).toEqual([403, 'FORBIDDEN']);
  clock.aheadMs += DAY;
  people.ada = { ...(await signIn(ada)), ...own };
  const late = await callCredentials(app, people.ada, { path: `/${own.id}/confirm`, body: {} });
  expect(assertOk(late).body.data.status).toBe('confirmed');
  const rita = await createMember(harness, people.ada, 'reviewer');
  const hers = await enrol(app, rita);
  people.rita = { ...rita, ...hers };
  assertOk(await confirm(app, people.ada, hers.id));
  people.rolf = await createMember(harness, people.ada, 'reviewer');
  ({ key } = await createWorkspaceKey(app, people.ada));
});

let tools = 0;

/** A decision that has to be approved with a signature. */
async function hold(approvals: object = { signed: true }) {
  const tool = `pay-${++tools}`;
  const conditions = [{ field: 'outputDecision.action.tool', operator: 'equals', value: tool }];
  const actions = [{ type: 'flag_for_review', config: { approvals } }];
  const policy = { name: tool, conditions, actions };
  assertOk(await app.call('POST', '/api/v1/policies', { token: people.ada.token, body: policy }));
  const outputDecision = { action: { tool, amount: 120 } };
  const body = buildDecision('till', { outputDecision });
  const { data } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body;
  return data as { reviewId: string; traceId: string; actionDigest: string };
}

interface Request {
  statement: JsonObject;
  options: { challenge: string; allowCredentials: { id: string }[] };
}

async function ask(id: string, { token }: Owner, edits?: object): Promise<Request> {
  const more = edits ? `&edits=${encodeURIComponent(JSON.stringify(edits))}` : '';
  const path = `/api/v1/review-queue/${id}/statement?decision=approve${more}`;
  return assertOk(await app.call('GET', path, { token })).body.data;
}

const decide = (id: string, { token }: Owner, more: object = {}) =>
  app.call('POST', `/api/v1/review-queue/${id}/decision`, {
    token,
    body: { decision: 'approve', ...more },
  });

/** Signs what the service asks for, and approves. */
async function approve(
  id: string,
  by: Signer,
  more: { edits?: object; actionDigest?: string } = {},
) {
  const { statement } = await ask(id, by, more.edits);
  return decide(id, by, { ...more, signature: by.passkey.signText(canonicalize(statement)) });
}

const DISCLOSED =
  'facts,quorum,voter,actionDigest,edits,statement,assertion,credential,publicKey,confirmation';

async function verify(approverKeys: string[] = []) {
  const { token } = people.ada;
  const path = `/api/v1/hash-chain/export?fromSequence=1&disclose=${DISCLOSED}`;
  const { text } = await app.call('GET', path, { token });
  async function* stream() {
    yield* text.trimEnd().split('\n');
  }
  const report = await verifyBundle(stream(), { approverKeys });
  const problems = report.problems.filter(({ code }) => code !== 'not-vouched');
  const service = await app.call('POST', '/api/v1/hash-chain/verify', { token });
  return {
    verified: assertOk(service).body.data.verified as boolean,
    problems: problems.map(({ message }) => message),
    signatures: report.signatures,
  };
}

test('an approval is signed over what is decided, and the verifier says whose key it was', async () => {
  const { reviewId, traceId, actionDigest } = await hold();
  const unsigned = await decide(reviewId, people.rita);
  expect(toOutcome(unsigned)).toEqual([403, 'SIGNATURE_REQUIRED']);
  const { statement, options } = await ask(reviewId, people.rita);
  expect(statement).toMatchObject({
    format: 'assay-approval/v1',
    traceId,
    reviewId,
    decision: 'approve',
    step: null,
    actionDigest,
    edits: null,
  });
  expect(options.allowCredentials.map(({ id }) => id)).toEqual([people.rita.passkey.credentialId]);
  const before = await verify();
  const done = await approve(reviewId, people.rita);
  expect(assertOk(done).body.data).toMatchObject({
    status: 'approved',
    decidedBy: people.rita.userId,
    approvals: { needed: 1, given: 1, signed: true, waitsFor: null },
  });
  const after = await verify();
  expect(after).toMatchObject({ verified: true, problems: [] });
  expect(after.signatures.enrolled).toBe(before.signatures.enrolled + 1);
  const pinned = await verify([people.rita.passkey.document.spki]);
  expect(pinned.signatures).toMatchObject({ pinned: 1, enrolled: after.signatures.enrolled - 1 });
});

test('with edits the signature covers them, and for others it does not hold', async () => {
  const { reviewId, actionDigest } = await hold();
  const edits = { amount: 90 };
  const { statement } = await ask(reviewId, people.rita, edits);
  const signature = people.rita.passkey.signText(canonicalize(statement));
  const other = await decide(reviewId, people.rita, {
    edits: { amount: 9000 },
    actionDigest,
    signature,
  });
  expect(toOutcome(other)).toEqual([403, 'SIGNATURE_INVALID']);
  const done = await decide(reviewId, people.rita, { edits, actionDigest, signature });
  expect(assertOk(done).body.data).toMatchObject({ status: 'approved', edits });
});

test('what does not hold is refused, and nothing is sealed', async () => {
  const { reviewId, traceId } = await hold();
  const { reviewId: another } = await hold();
  const { rita, ada } = people;
  const { statement } = await ask(reviewId, rita);
  const text = canonicalize(statement);
  const elsewhere = canonicalize((await ask(another, rita)).statement);
  const stranger = createPasskey(app);
  const { signature: _, ...parts } = rita.passkey.signText(text);
  const tried = {
    'another decision': rita.passkey.signText(elsewhere),
    'another origin': rita.passkey.signText(text, { origin: 'https://evil.example' }),
    'another domain': rita.passkey.signText(text, { rpId: 'evil.example' }),
    'no verification': rita.passkey.signText(text, { isVerified: false }),
    'a key of no one': stranger.signText(text),
    'the key of another person': ada.passkey.signText(text),
    'another signature': { ...parts, signature: stranger.signText(text).signature },
    'another type': rita.passkey.signText(text, { type: 'webauthn.create' }),
  };
  for (const [name, signature] of Object.entries(tried))
    expect(toOutcome(await decide(reviewId, rita, { signature })), name).toEqual([
      403,
      'SIGNATURE_INVALID',
    ]);
  const malformed = { ...parts, signature: '?' };
  const bad = await decide(reviewId, rita, { signature: malformed });
  expect(toOutcome(bad)).toEqual([400, 'VALIDATION_ERROR']);
  expect(await harness.db.collection('ledger').countDocuments({ traceId })).toBe(1);
});

test('a signature is good once: a replay, also after a vote, does not count', async () => {
  const { reviewId } = await hold({ steps: [{ count: 2 }], signed: true });
  const { rita, ada } = people;
  const { statement: first } = await ask(reviewId, ada);
  const old = ada.passkey.signText(canonicalize(first));
  const vote = assertOk(await approve(reviewId, rita)).body.data;
  expect(vote).toMatchObject({ status: 'pending', approvals: { given: 1, signed: true } });
  expect(toOutcome(await decide(reviewId, ada, { signature: old }))).toEqual([
    403,
    'SIGNATURE_INVALID',
  ]);
  expect(assertOk(await approve(reviewId, ada)).body.data.status).toBe('approved');
  expect(toOutcome(await decide(reviewId, ada, { signature: old }))).toEqual([
    400,
    'INVALID_OPERATION',
  ]);
  expect(await verify()).toMatchObject({ verified: true, problems: [] });
});

test('many at once, without a signature, lead to the console; a rejection needs none', async () => {
  const { reviewId } = await hold();
  const { token } = people.rita;
  const body = { ids: [reviewId], decision: 'approve' };
  const bulk = await app.call('POST', '/api/v1/review-queue/bulk-decision', { token, body });
  expect(toOutcome(bulk)).toEqual([403, 'SIGNATURE_REQUIRED']);
  expect(bulk.body.error).toMatch(/console/);
  const rejected = await decide(reviewId, people.rita, { decision: 'reject' });
  expect(assertOk(rejected).body.data.status).toBe('rejected');
});

test('a passkey counts once another person has signed over it, and not after it was revoked', async () => {
  const { rolf, ada } = people;
  const { reviewId } = await hold();
  const { passkey, id, data } = await enrol(app, rolf);
  expect(data).toMatchObject({ status: 'enrolled', synced: false, confirmableAt: null });
  const signer = { ...rolf, passkey, id };
  expect(toOutcome(await approve(reviewId, signer))).toEqual([403, 'SIGNATURE_INVALID']);
  const path = `/${id}/confirm`;
  const own = await callCredentials(app, rolf, { path, body: {} });
  expect(toOutcome(own)).toEqual([403, 'SIGNATURE_REQUIRED']);
  const forged = { signature: people.rita.passkey.signText('{}') };
  const wrong = await callCredentials(app, people.rita, { path, body: forged });
  expect(toOutcome(wrong)).toEqual([403, 'SIGNATURE_INVALID']);
  assertOk(await confirm(app, ada, id));
  const { statement } = await ask(reviewId, signer);
  const signature = passkey.signText(canonicalize(statement));
  const revoked = await callCredentials(app, rolf, {
    path: `/${id}`,
    method: 'DELETE',
    body: { reason: 'Lost' },
  });
  expect(assertOk(revoked).body.data.status).toBe('revoked');
  expect(toOutcome(await decide(reviewId, rolf, { signature }))).toEqual([
    403,
    'SIGNATURE_INVALID',
  ]);
  const again = await callCredentials(app, rolf, { path: `/${id}`, method: 'DELETE', body: {} });
  expect(toOutcome(again)).toEqual([400, 'INVALID_OPERATION']);
  expect(await verify()).toMatchObject({ verified: true, problems: [] });
});

test('an enrolment answers fresh options, from here, with its person verified, once', async () => {
  const { rolf } = people;
  const passkey = createPasskey(app);
  for (const given of [
    { origin: 'https://evil.example' },
    { isVerified: false },
    { challenge: 'AAAA' },
    { rpId: 'evil.example' },
  ])
    expect(toOutcome(await postPasskey(app, rolf, { passkey, given }))).toEqual([
      403,
      'SIGNATURE_INVALID',
    ]);
  const { token, options } = await beginPasskey(app, rolf);
  const { id, response } = passkey.register({ challenge: options.challenge });
  const { transports: _, ...parts } = response;
  const body = { token, name: 'Key', credential: { id, ...parts } };
  expect(toOutcome(await callCredentials(app, people.rita, { body }))).toEqual([
    400,
    'INVALID_TOKEN',
  ]);
  const listed = await callCredentials(app, rolf, { method: 'GET' });
  expect(assertOk(listed).body.data.map(({ status }: { status: string }) => status)).not.toContain(
    'enrolled',
  );
  const noProof = { path: '/options', body: { password: 'Wrong-Horse-9' } };
  expect(toOutcome(await callCredentials(app, rolf, noProof))).toEqual([
    401,
    'INVALID_CREDENTIALS',
  ]);
});

test('a row that root changes does not count: the key is the one that the chain names', async () => {
  const { reviewId } = await hold();
  const { rita } = people;
  const forged = createPasskey(app);
  const registered = await enrol(app, people.rolf, forged);
  const rows = harness.db.collection('passkeys');
  const { cose } = (await rows.findOne({ _id: toObjectId(registered.id) })) as unknown as {
    cose: string;
  };
  const where = { _id: toObjectId(rita.id) };
  const { cose: genuine } = (await rows.findOne(where)) as unknown as { cose: string };
  await rows.updateOne(where, { $set: { cose } });
  const { statement } = await ask(reviewId, rita);
  const signed = forged.signText(canonicalize(statement));
  const signature = { ...signed, credentialId: rita.passkey.credentialId };
  const tried = await decide(reviewId, rita, { signature });
  await rows.updateOne(where, { $set: { cose: genuine } });
  expect(toOutcome(tried)).toEqual([403, 'SIGNATURE_INVALID']);
});

test('who is removed from the team loses their passkeys, in the chain', async () => {
  const { ada } = people;
  const mia = await createMember(harness, ada, 'reviewer');
  const { passkey } = await enrol(app, mia);
  const path = `/api/v1/team/members/${mia.userId}`;
  assertOk(await app.call('DELETE', path, { token: ada.token }));
  const about = { traceId: `credential:${passkey.hash}` };
  await expect
    .poll(() => harness.db.collection('ledger').countDocuments(about), { timeout: 10_000 })
    .toBe(2);
  const last = await harness.db.collection('ledger').findOne(about, { sort: { sequence: -1 } });
  expect(JSON.parse(String(last?.['view']))).toMatchObject({
    status: 'revoked',
    actor: { kind: 'system', id: null },
  });
});

/** What root can do with the service's own keys and code: seals an approval in the name of Rita. */
async function sealAsRoot(
  { traceId, reviewId }: { traceId: string; reviewId: string },
  toSigned: (about: { statement: JsonObject }) => SignedStatement | undefined,
): Promise<void> {
  const { platform } = app.instance;
  const { organizationId, userId } = people.rita;
  const by = { organizationId, actor: { kind: 'user', id: userId } } as const;
  const words = { decision: 'approve', reason: undefined, notes: undefined } as const;
  const { statement } = await ask(reviewId, people.rita);
  const amend = prepareReviewAmendment(by, words, platform.draw16Bytes);
  await platform.ledger.amendments.append(organizationId, traceId, async (about) =>
    amend(await openSubject(platform.contents, about), null, toSigned({ statement })),
  );
}

test('root, with all keys of server and database, forges no approval by a person’s key', async () => {
  const { rita } = people;
  const key = { id: rita.passkey.hash, confirmed: 4, publicKey: rita.passkey.document };
  const forged = createPasskey(app);
  const own = { id: forged.hash, confirmed: 4, publicKey: forged.document };
  const [none, copied, another] = [await hold(), await hold(), await hold()];
  const before = await verify([rita.passkey.document.spki]);
  await sealAsRoot(none, () => undefined);
  await sealAsRoot(copied, ({ statement }) => {
    const signed = forged.signText(canonicalize(statement));
    const assertion = { ...signed, credentialId: rita.passkey.credentialId };
    return { statement, assertion, credential: key };
  });
  await sealAsRoot(another, ({ statement }) => {
    const assertion = forged.signText(canonicalize(statement));
    return { statement, assertion, credential: own };
  });
  const after = await verify([rita.passkey.document.spki]);
  expect(after.problems).toEqual([
    'it is approved without the signature of a person',
    'its signature is not by its key',
    'it is signed with a key that was never enrolled',
  ]);
  expect(after.signatures).toEqual(before.signatures);
  expect(after.verified).toBe(false);
});
