// The CSV export: content, permissions and streaming (document 2, section 4.1).
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertCopies } from '../../setup/copies.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { collectGarbage } from '../../setup/runtime.ts';
import { listAuditEntries, createMember } from '../../setup/harness.ts';
import {
  createAgent,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';

const harness = useHarness({ ASSAY_LIMIT_HEAVY: '2' });
const { app } = harness;
const ada = useOwner(harness);
const big = useOwner(harness, 'Big');
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const get = (query = '', { token }: Pick<Owner, 'token'> = ada): Promise<Answer> =>
  app.call('GET', `/api/v1/traces/export?${query}`, { token });
const post = async (more: object = {}, agentId = 'x', by = key): Promise<Answer> =>
  assertOk(
    await app.call('POST', '/api/v1/traces', { key: by, body: buildDecision(agentId, more) }),
  );
/** Rows by column; a text is quoted and a number is not. Reading an answer as text has dropped its byte order mark. */
function rowsOf({ text }: Answer): Record<string, string>[] {
  const [header = '', ...lines] = text.split('\r\n').slice(0, -1);
  const names = cellsOf(header);
  return lines.map((line) => {
    const cells = cellsOf(line);
    expect(cells).toHaveLength(names.length);
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
  });
}
/** The texts of these tests have no line breaks. */
function cellsOf(line: string): string[] {
  expect(line).toMatch(
    /^(("([^"]|"")*"|-?[\d.e-]+|true|false|),)*("([^"]|"")*"|-?[\d.e-]+|true|false|)$/,
  );
  return [...`${line},`.matchAll(/("(?:[^"]|"")*"|[^,]*),/g)].map(([, cell = '']) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  );
}

test('a row has the values of its decision, newest first', async () => {
  const bot = await createAgent(app, ada, 'Claims');
  const adapted = {
    adapter: { kind: 'a' },
    mlBomReference: 'b',
    art12: 1,
    conversation: [2],
    crew: {},
  };
  await post({
    ...adapted,
    metadata: { n: 1 },
    outputDecision: { action: { tool: 'pay', amount: 3 } },
  });
  await post({ metadata: { n: 2 }, timestamp: '2026-03-01T10:00:00Z' }, bot.id);
  const answer = assertOk(await get());
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="assay-traces-\d{4}-\d\d-\d\d\.csv"$/,
  );
  const { data } = assertOk(await app.call('GET', '/api/v1/traces', { token: ada.token })).body;
  const rows = rowsOf(answer);
  expect(rows).toHaveLength(2);
  for (const [at, row] of rows.entries()) {
    const trace = data[at];
    expect(row).toMatchObject({
      _id: trace._id,
      traceId: trace.traceId,
      agentId: trace.agentId,
      agentName: trace.agentName ?? '',
      status: 'approved',
      humanOverride: 'false',
      timestamp: trace.timestamp,
      createdAt: trace.createdAt,
      prompt: trace.inputContext.prompt,
      rationale: trace.rationale ?? '',
      sequence: String(trace.hashChain.sequence),
      chainHash: trace.hashChain.chainHash,
    });
    expect(Number(row.confidenceScore)).toBe(trace.confidenceScore);
    expect(JSON.parse(row.metadata ?? '')).toEqual(trace.metadata);
    expect(JSON.parse(row.inputContext ?? '')).toEqual(trace.inputContext);
    expect(JSON.parse(row.outputDecision ?? '')).toEqual(trace.outputDecision);
  }
  expect(rows.map(({ action }) => action)).toEqual(['reply', '{"amount":3,"tool":"pay"}']);
  const columns = Object.keys(rows[0] ?? {});
  const fields = Object.keys(data[1]).filter((name) => !['id', 'hashChain'].includes(name));
  expect(fields.filter((name) => !columns.includes(name))).toEqual([]);
  expect(rows[1]).toMatchObject({
    adapter: '{"kind":"a"}',
    mlBomReference: 'b',
    conversation: '[2]',
  });
  expect(rows[0]).toMatchObject({ adapter: '', crew: '' });
});

test('the filters of the list apply, page and limit do not', async () => {
  expect(rowsOf(assertOk(await get('dateTo=2026-03-02')))).toHaveLength(1);
  expect(rowsOf(assertOk(await get('search=nothingofthekind')))).toEqual([]);
  expect(rowsOf(assertOk(await get('page=7&limit=1')))).toHaveLength(2);
  expect(rowsOf(assertOk(await get('page=none&limit=-3')))).toHaveLength(2);
  expect(toOutcome(await get('minConfidence=2'))).toEqual([400, 'VALIDATION_ERROR']);
});

test('formulas are inert, personal data is scrubbed', async () => {
  await post({
    inputContext: { prompt: '=HYPERLINK("http://x.example")' },
    outputDecision: { action: '@SUM(1)', rationale: 'mail grace.hopper@navy.example.com' },
    triggeringCondition: '  +1',
  });
  const [row] = rowsOf(assertOk(await get()));
  expect(row).toMatchObject({
    prompt: '\'=HYPERLINK("http://x.example")',
    action: "'@SUM(1)",
    triggeringCondition: "'  +1",
    rationale: 'mail [EMAIL]',
  });
});

test('a spreadsheet reads UTF-8, and splits no text at a semicolon', async () => {
  const prompt = 'Łódź;=HYPERLINK("http://x.example")';
  await post({ inputContext: { prompt }, rationale: 'seen\t=1;@SUM(1)' });
  const answer = await fetch(`${app.url}/api/v1/traces/export`, {
    headers: { authorization: `Bearer ${ada.token}` },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
  const text = bytes.toString();
  expect(text.split('\ufeff')).toHaveLength(2);
  for (const cell of ['Łódź;=HYPERLINK(""http://x.example"")', 'seen\t=1;@SUM(1)'])
    expect(text).toContain(`,"${cell}",`);
  expect(text.replaceAll(/"(?:[^"]|"")*"/g, '')).not.toMatch(
    /[;\t|]|[^\r\n,\d.e+\-truefals\ufeff]/,
  );
});

test('each export is an entry of the audit log, a refused one too', async () => {
  await get('status=flagged&dateFrom=2026-01-01');
  const [entry] = await listAuditEntries(app, ada, 'action=trace.export&limit=1');
  expect(entry).toMatchObject({
    action: 'trace.export',
    resource: 'trace',
    status: 'success',
    userId: ada.userId,
    metadata: { filters: { status: 'flagged', dateFrom: '2026-01-01T00:00:00.000Z' } },
  });
  const auditor = await createMember(harness, ada, 'auditor');
  expect(toOutcome(await get('', auditor))).toEqual([403, 'FORBIDDEN']);
  const [refused] = await listAuditEntries(app, ada, 'action=trace.export&limit=1');
  expect(refused).toMatchObject({ status: 'failure', userId: auditor.userId });
});

test('a key that is limited to some agents exports theirs only', async () => {
  const bot = await createAgent(app, ada, 'Only');
  const scope = { agentIds: [bot.id] };
  const { key: scoped } = await createWorkspaceKey(app, ada, { scope });
  await post({}, bot.id, scoped);
  const rows = rowsOf(assertOk(await app.call('GET', '/api/v1/traces/export', { key: scoped })));
  expect(rows.map(({ agentId }) => agentId)).toEqual([bot.id]);
});

describe('many large decisions', () => {
  const COPIES = 300;
  const PROMPT = 50_000;
  beforeAll(async () => {
    const { key: bigs } = await createWorkspaceKey(app, big);
    await post({ inputContext: { prompt: 'y'.repeat(PROMPT) } }, 'x', bigs);
    await insertCopies(harness, big, COPIES);
  });

  /** The bytes of buffers that are still held. */
  function measureBuffers(): number {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  }

  /** Requests an export, and does not read its body. */
  async function openReader() {
    const { port, hostname } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /api/v1/traces/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${big.token}\r\n\r\n`,
    );
    await once(socket, 'readable');
    return socket;
  }

  test('come complete', async () => {
    const rows = rowsOf(assertOk(await get('', big)));
    expect(rows).toHaveLength(COPIES + 1);
    expect(rows.every(({ prompt }) => prompt?.length === PROMPT)).toBe(true);
  });

  test(
    'stay in the database while a reader does not read; two exports run at a time',
    { tags: ['long'] },
    async () => {
      const before = measureBuffers();
      const readers = [await openReader(), await openReader()];
      await sleep(300);
      // Each holds a batch of five megabytes, locked and opened; buffered as a whole, each would take thirty.
      expect(measureBuffers() - before).toBeLessThan(25_000_000);
      expect(toOutcome(await get('', big))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect((await get()).status).toBe(200);
      for (const reader of readers) reader.destroy();
      await expect.poll(async () => (await get('', big)).status).toBe(200);
      expect(app.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
    },
  );
});
