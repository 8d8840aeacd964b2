// What `assay dev` takes for its own, and what its policies hold.
import { beforeAll, expect, test } from 'vitest';
import { DESTRUCTIVE } from '../../packages/cli/src/commands/dev.ts';
import { useHarness, useOwner } from '../setup/fixtures.ts';
import { assertOk, createAgent } from '../setup/personas.ts';
import { createCli } from './cli-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const agent = { id: '', key: '' };
beforeAll(async () => {
  Object.assign(agent, await createAgent(harness.app, ada));
  const made = { token: ada.token, body: DESTRUCTIVE };
  assertOk(await harness.app.call('POST', '/api/v1/policies', made));
});

test('a service that it did not start is not taken over', async () => {
  const cli = await createCli();
  const { port } = new URL(harness.app.url);
  const before = await harness.db.collection('users').countDocuments();
  const { code, err } = await cli.run(['dev', '--port', port, '--once']);
  expect([code, err]).toEqual([2, expect.stringContaining('did not start')]);
  expect(await harness.db.collection('users').countDocuments()).toBe(before);
});

test.each([
  ['rm -rf build', 202],
  ['cd /tmp; rm -fr ./x', 202],
  ['sudo rm -v --recursive /', 202],
  ['git push --force', 202],
  ['git -C sub push origin -f main', 202],
  ['git push --force-with-lease', 202],
  ['git push origin +main', 202],
  ['rm notes.txt', 201],
  ['git push origin main', 201],
  ['ls -f', 201],
])('%s is answered with %i', async (command, status) => {
  const action = { tool: 'shell', arguments: { command } };
  const body = { agentId: agent.id, inputContext: { prompt: 'x' }, outputDecision: { action } };
  const answer = await harness.app.call('POST', '/api/v1/traces', { key: agent.key, body });
  expect(answer.status).toBe(status);
});
