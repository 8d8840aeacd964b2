// The adapters of the Python SDK, with the frameworks in their released versions, in an environment of their own.
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../setup/fixtures.ts';
import { useGuards } from '../sdk/typescript/sdk-stage.ts';
import { createEnvironment } from './environment.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { agent, createPolicy } = useGuards(harness, ada);
beforeAll(() => createPolicy('Once', 'ship', { type: 'approve', config: { singleUse: true } }));

const FRAMEWORKS = ['langchain', 'openai-agents', 'mcp', 'claude'];
/** Without the package index, or room for the frameworks, there is nothing to test with. */
const environment = await createEnvironment('assay-python-adapters', ['test', ...FRAMEWORKS]).catch(
  (error: Error) => {
    process.stderr.write(`The frameworks could not be installed: ${error.message.slice(0, 300)}\n`);
    return null;
  },
);

test
  .skipIf(environment === null)
  .each([
    'test_langchain.py',
    'test_openai_agents.py',
    'test_mcp.py',
    'test_claude.py',
    'test_names.py',
  ])(
  '%s',
  async (file) => {
    const output = await environment!.runTests(file, {
      ASSAY_TEST_URL: harness.app.url,
      ASSAY_TEST_TOKEN: ada.token,
      ASSAY_TEST_KEY: agent.key,
      ASSAY_TEST_AGENT: agent.id,
    });
    expect(output).toMatch(/^\d+ passed(, \d+ warnings?)? in/m);
  },
  300_000,
);
