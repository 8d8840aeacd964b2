// A claim and its outcome reach webhooks, each once.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createWorkspaceKey } from '../../setup/personas.ts';
import { startReceiver } from '../../setup/providers/receiver.ts';

const receiver = useFixture(startReceiver, (one) => one.close());
const harness = useHarness(() => ({ ASSAY_OUTBOUND_ALLOW: receiver.host }));
const { app } = harness;
const ada = useOwner(harness);

test('a claim and its outcome are delivered', async () => {
  const url = `${receiver.url}/executions`;
  const subscription = { url, events: ['execution.recorded'] };
  const { token } = ada;
  assertOk(await app.call('POST', '/api/v1/webhooks', { token, body: subscription }));
  const { key } = await createWorkspaceKey(app, ada);
  const body = buildDecision('till', { outputDecision: { action: 'reply' } });
  const { traceId } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data;
  const path = `/api/v1/traces/${traceId}/executions`;
  const rawActionDigest = createHash('sha256').update('"reply"').digest('hex');
  const claimed = assertOk(await app.call('POST', path, { key, body: { rawActionDigest } }));
  const { executionId } = claimed.body.data;
  const outcome = { outcome: 'failed', summary: 'No such order' };
  assertOk(await app.call('PATCH', `${path}/${executionId}`, { key, body: outcome }));
  for (let round = 0; round < 4; round += 1) await app.instance.runJobsOnce();
  const found = receiver.listMessages('/executions').map(({ body: sent }) => sent as unknown);
  expect(found).toHaveLength(2);
  expect(found).toEqual(
    expect.arrayContaining(
      ['claimed', 'failed'].map((state) => ({
        event: 'execution.recorded',
        timestamp: expect.stringMatching(/Z$/) as string,
        data: { traceId, executionId, agentName: 'till', state },
      })),
    ),
  );
});
