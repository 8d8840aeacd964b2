// The Python SDK against the real service: its own tests, run by pytest in an environment of their own.
import { beforeAll, expect, test } from 'vitest';
import { useGuards } from '../sdk/typescript/sdk-stage.ts';
import { useHarness, useOwner } from '../setup/fixtures.ts';
import { createEnvironment, type PythonEnvironment } from './environment.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, createPolicy } = useGuards(harness, ada);

let environment: PythonEnvironment;
beforeAll(async () => {
  await createPolicy('Once', 'ship', { type: 'approve', config: { singleUse: true } });
  environment = await createEnvironment('assay-python', ['test']);
}, 180_000);

test.each([
  'test_guard.py',
  'test_outcomes.py',
  'test_middle.py',
  'test_values.py',
  'test_vectors.py',
])(
  '%s',
  async (file) => {
    const output = await environment.runTests(file, {
      ASSAY_TEST_URL: harness.app.url,
      ASSAY_TEST_TOKEN: ada.token,
      ASSAY_TEST_KEY: agent.key,
      ASSAY_TEST_AGENT: agent.id,
    });
    expect(output).toMatch(/^\d+ passed in/m);
  },
  300_000,
);
