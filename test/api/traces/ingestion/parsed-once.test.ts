// A large body is parsed and checked once in its thread, and again only where what was checked is no longer kept.
import { expect, test } from 'vitest';
import { compilePolicies } from '@assay/policy';
import {
  type BodyAnswer,
  type BodyRequest,
  createBodyJudge,
} from '../../../../src/decisions/traces/ingestion/body-judge.ts';
import { createLargeBodies } from '../../../../src/decisions/traces/ingestion/large-bodies.ts';
import { AppError } from '../../../../src/errors.ts';
import { parseBody, parseListBody } from '../../../../src/http/checks/parse-body.ts';
import { ingestBody } from '../../../../src/decisions/traces/traces.schemas.ts';
import { checkInput } from '../../../../src/platform/inputs/check-input.ts';
import { DEFAULT_AGENT_POLICIES } from '../../../../src/domain/agents/agent-policies.ts';

const INVALID = 'SVC_VALIDATION_FAILED';
const now = new Date('2026-11-21T12:00:00Z');

function createStage() {
  const parsed = { bodies: 0, batches: 0 };
  const judge = createBodyJudge({
    parse({ rawBody }) {
      parsed.bodies += 1;
      return parseBody({ rawBody: Buffer.from(rawBody), contentType: undefined }, INVALID);
    },
    check: (given) => checkInput(ingestBody, given ?? {}, () => INVALID),
    parseBatch({ rawBody }) {
      parsed.batches += 1;
      const sent = { rawBody: Buffer.from(rawBody), contentType: undefined };
      return (parseListBody(sent, 'decisions', INVALID) as { decisions: unknown[] }).decisions;
    },
  });
  const sendInTurn = async (request: BodyRequest): Promise<BodyAnswer> =>
    judge(structuredClone(request));
  const threads = { open: () => ({ sendInTurn }) };
  const bodies = createLargeBodies({ threads } as never);
  return { bodies, parsed };
}
const origin = { tenant: 'o', client: 'k', isAbandoned: () => false };

const buildBody = (tool: string) => ({
  agentId: 'desk',
  inputContext: { prompt: 'p' },
  outputDecision: { action: { tool } },
});
const toBytes = (body: unknown): Buffer => Buffer.from(JSON.stringify(body));

function buildDraftRequest(rawBody: Uint8Array, bodyId: string) {
  return {
    bodyId,
    rawBody,
    contentType: undefined,
    context: {
      tenant: {
        organizationId: 'a'.repeat(24),
        actor: { kind: 'workspaceKey', id: 'b'.repeat(24) },
      },
      traceId: `trc_${'0'.repeat(32)}`,
      workspaceId: 'e'.repeat(24),
      reviewSla: {},
      reviewExpiresIn: null,
      agent: null,
      logPayloads: true,
      schemaVersion: '2026-04-11',
      policySetDigest: '0'.repeat(64),
      scrubVersion: '1',
      userAgent: null,
      at: now,
      agentMark: 'mark',
      effectSecret: 's',
    },
    agentPolicies: DEFAULT_AGENT_POLICIES,
    history: { recentOverrideRate: null, recentFlagRate: null },
    nationalIds: false,
    reviewId: 'f'.repeat(24),
    seeds: Buffer.alloc(16 * 40),
  } as const;
}
const rules = { policies: compilePolicies([]) };
const request = (rawBody: Buffer) => ({
  rawBody,
  contentType: undefined,
  serviceVersion: undefined,
  now,
});

test('a decision that was checked is judged as it was parsed', async () => {
  const { bodies, parsed } = createStage();
  const rawBody = toBytes(buildBody('refund'));
  const { body } = await bodies.inspect(request(rawBody), origin);
  if (body instanceof AppError) throw body;
  // The policies are not known to the thread yet, so it is asked twice.
  const draft = await bodies.draft(buildDraftRequest(rawBody, body.bodyId) as never, rules, origin);
  expect(parsed.bodies).toBe(1);
  const again = await bodies.draft(buildDraftRequest(rawBody, body.bodyId) as never, rules, origin);
  expect(parsed.bodies).toBe(2);
  expect(again).toEqual(draft);
});

test('each decision of a batch is judged as its own', async () => {
  const { bodies, parsed } = createStage();
  const decisions = [buildBody('refund'), { wrong: true }, buildBody('read')];
  const inspected = await bodies.inspectBatch(request(toBytes({ decisions })), origin);
  if (inspected instanceof AppError) throw inspected;
  const drafts = [];
  for (const { body, rawBody } of inspected.decisions)
    if (!(body instanceof AppError))
      drafts.push(
        await bodies.draft(buildDraftRequest(rawBody, body.bodyId) as never, rules, origin),
      );
  expect(parsed).toEqual({ bodies: 0, batches: 1 });
  const actions = drafts.map(({ fields }) =>
    JSON.parse(fields.sealed['outputDecision']?.text ?? ''),
  );
  expect(actions).toEqual([{ action: { tool: 'refund' } }, { action: { tool: 'read' } }]);
});

test('what is more than the thread keeps is parsed again', async () => {
  const { bodies, parsed } = createStage();
  const large = toBytes({ ...buildBody('refund'), padding: 'x'.repeat(3_000_000) });
  const names: string[] = [];
  for (let count = 0; count < 7; count++) {
    const { body } = await bodies.inspect(request(large), origin);
    if (!(body instanceof AppError)) names.push(body.bodyId);
  }
  for (const name of names)
    await bodies.draft(buildDraftRequest(large, name) as never, rules, origin);
  expect(parsed.bodies).toBe(7 + 2);
});
