// Exports of the audit log over HTTP (document 3, section 4.4): filters as in the list, streamed JSON, a bounded PDF.
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../setup/harness.ts';
import { extractPdfText } from '../../setup/pdf-text.ts';
import { createAgent, assertOk } from '../../setup/personas.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';

const harness = useHarness({ ASSAY_LIMIT_HEAVY: '2', ASSAY_LIMIT_PDF_ROWS: '40' });
const { app } = harness;
const ada = useOwner(harness);
const big = useOwner(harness, 'Big');

beforeAll(async () => {
  for (const name of ['Claims', 'Loans', 'Łódź']) await createAgent(app, ada, name);
});

const get = (path: string, { token } = ada): Promise<Answer> =>
  app.call('GET', `/api/v1/audit${path}`, { token });
const entriesOf = async (path: string) => assertOk(await get(path)).body.entries;

test.each(['', 'action=agent.create', 'status=failure', 'search=agent', 'dateTo=2020-01-01'])(
  'the JSON export with ?%s is what the list shows, newest first, and nothing around it',
  async (query) => {
    const listed = assertOk(await get(`?limit=200&${query}`)).body.data.entries;
    const answer = assertOk(await get(`/export?${query}`));
    expect(answer.body).toEqual({ entries: listed });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="assay-audit-\d{4}-\d\d-\d\d\.json"$/,
    );
  },
);

test('a filter accepts both spellings of an action, and an invalid filter is refused', async () => {
  for (const action of ['team.update_role', 'team.member.role_changed'])
    expect(await entriesOf(`/export?action=${action}`)).toEqual([]);
  for (const path of ['/export', '/export/pdf'])
    expect(toOutcome(await get(`${path}?status=maybe`))).toEqual([400, 'VALIDATION_ERROR']);
});

test('entries before a sequence follow on from a page, whatever is added in between', async () => {
  const read = async (query: string) => assertOk(await get(`?${query}`)).body.data;
  const all = (await read('limit=200')).entries as { sequence: number }[];
  const first = await read('limit=2');
  expect(first.entries).toEqual(all.slice(0, 2));
  await createAgent(app, ada, 'Between');
  const last = first.entries[1].sequence;
  const rest = await read(`limit=200&beforeSeq=${last}`);
  expect(rest.entries).toEqual(all.slice(2));
  expect(rest.pagination).toMatchObject({ total: all.length - 2, hasMore: false });
  const ofAgents = await read(`limit=200&beforeSeq=${last}&action=agent.create`);
  expect(ofAgents.entries.every(({ sequence }: { sequence: number }) => sequence < last)).toBe(
    true,
  );
  for (const value of ['0', '-1', '1.5', 'x'])
    expect(toOutcome(await get(`?beforeSeq=${value}`))).toEqual([400, 'VALIDATION_ERROR']);
});

test('reading leaves no entry', async () => {
  const before = await entriesOf('/export');
  expect(await entriesOf('/export')).toEqual(before);
});

/** The raw bytes of an answer. */
async function pdfOf(query = ''): Promise<Buffer> {
  const answer = await fetch(`${app.url}/api/v1/audit/export/pdf?${query}`, {
    headers: { authorization: `Bearer ${ada.token}` },
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  return buffer(answer.body as never);
}

test('the PDF shows whose log it is, who did what when, the filters, and the whole chain hash', async () => {
  const [newest] = await entriesOf('/export?action=agent.create');
  const { name } = assertOk(await app.call('GET', '/api/v1/organization', { token: ada.token }))
    .body.data;
  expect(name).toMatch(/\w/);
  const shown = withoutBreaks(extractPdfText(await pdfOf('action=agent.create')));
  for (const text of [
    'Audit log',
    `Organisation ${name} (${ada.organizationId})`,
    'action agent.create',
    ada.email,
    newest.createdAt.slice(0, 10),
    newest.resourceId,
    `${newest.sequence}: ${newest.chainHash}`,
  ])
    expect(shown).toContain(withoutBreaks(text));
});

test('a detail stands below the resource, and no column is empty where there is none', async () => {
  const collection = harness.db.collection('audit_entries');
  const entry = { organizationId: toObjectId(ada.organizationId), action: 'agent.create' };
  const before = await collection.findOneAndUpdate(entry, { $set: { detail: 'Łódź 東京' } });
  const shown = extractPdfText(await pdfOf('action=agent.create'));
  await collection.updateOne(entry, { $set: { detail: before?.['detail'] ?? null } });
  expect(shown).toContain('Resource and detail');
  expect(shown).toContain('Łódź [U+6771 U+4EAC]');
});

const withoutBreaks = (text: string): string => text.replaceAll(/[\s\u200b]/g, '');

test('a PDF without entries is valid', async () => {
  expect(extractPdfText(await pdfOf('dateTo=2020-01-01'))).toContain('Entries0');
});

test('members export neither, nor does an organisation whose plan has none', async () => {
  const bob = await createMember(harness, ada, 'member');
  for (const path of ['/export', '/export/pdf'])
    expect(toOutcome(await get(path, bob))).toEqual([403, 'FORBIDDEN']);
  await setPlan('scale');
  await expect.poll(async () => (await get('/export', big)).status).toBe(200);
  expect((await get('/export/pdf', big)).body).toMatchObject({
    code: 'UPGRADE_REQUIRED',
    data: { feature: 'auditLogPdf' },
  });
  await setPlan('enterprise');
});

async function setPlan(plan: string): Promise<void> {
  await harness.db
    .collection('organizations')
    .updateOne({ _id: toObjectId(big.organizationId) }, { $set: { 'subscription.plan': plan } });
}

async function fill(count: number, detail: string): Promise<void> {
  const where = { organizationId: toObjectId(big.organizationId) };
  const collection = harness.db.collection('audit_entries');
  const {
    _id,
    auditId: __,
    ...like
  } = (await collection.findOne(where)) as Record<string, unknown>;
  const newest = await collection.countDocuments(where);
  const copies = Array.from({ length: count }, (_, i) => ({
    ...like,
    auditId: (newest + i).toString(16).padStart(24, '0'),
    sequence: newest + 1 + i,
    detail,
  }));
  await collection.insertMany(copies);
}

test('more rows than the limit of a PDF are refused, and narrower filters are accepted', async () => {
  await fill(60, 'many');
  await expect
    .poll(async () => toOutcome(await get('/export/pdf', big)))
    .toEqual([400, 'VALIDATION_ERROR']);
  expect((await get('/export/pdf', big)).body.error).toContain('at most 40 rows');
  expect((await get('/export/pdf?search=nothing', big)).status).toBe(200);
});

test(
  'a slow reader has a place of the organisation, and the text waits for it',
  { tags: ['long'] },
  async () => {
    await fill(6000, 'x'.repeat(2000));
    const readers = await Promise.all([0, 1].map(() => slowReader()));
    expect(toOutcome(await get('/export', big))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect((await get('/export')).status).toBe(200);
    for (const reader of readers) reader.destroy();
    await expect.poll(async () => (await get('/export?search=nothing', big)).status).toBe(200);
  },
);

async function slowReader() {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET /api/v1/audit/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${big.token}\r\n\r\n`,
  );
  await once(socket, 'readable');
  return socket;
}
