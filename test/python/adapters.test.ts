// The adapters of the Python SDK, with the frameworks in their released versions, in environments of their own.
import { describe, expect, test } from 'vitest';
import { createEnvironment } from './environment.ts';
import { usePythonService } from './service.ts';

const { readEnvironment } = usePythonService();

const ENVIRONMENTS = [
  {
    name: 'assay-python-adapters',
    extras: ['langchain', 'openai-agents', 'mcp', 'claude'],
    files: [
      'test_langchain.py',
      'test_openai_agents.py',
      'test_mcp.py',
      'test_claude.py',
      'test_names.py',
    ],
  },
  {
    name: 'assay-python-frameworks',
    extras: ['pydantic-ai', 'strands', 'google-adk'],
    files: ['test_pydantic_ai.py', 'test_strands.py', 'test_google_adk.py'],
  },
  { name: 'assay-python-crewai', extras: ['crewai'], files: ['test_crewai.py'] },
];

describe.each(ENVIRONMENTS)('$name', async ({ name, extras, files }) => {
  /** Without the package index, or room for the frameworks, there is nothing to test with. */
  const environment = await createEnvironment(name, ['test', ...extras]).catch((error: Error) => {
    process.stderr.write(`${name} could not be installed: ${error.message.slice(0, 300)}\n`);
    return null;
  });

  test.skipIf(environment === null).each(files)(
    '%s',
    async (file) => {
      const output = await environment!.runTests(file, readEnvironment());
      expect(output).toMatch(/^\d+ passed(, \d+ warnings?)? in/m);
    },
    300_000,
  );
});
