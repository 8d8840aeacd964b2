// Clients that are generated from the API document have its models by name, and compile.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { expect, onTestFinished, test } from 'vitest';
import { OPENAPI_FILE } from '../../../scripts/openapi.ts';

const run = promisify(execFile);

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-client-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A program over the client: what a guard and a reviewer need, by the names of the models. */
const PROGRAM = `
import type { components, operations } from './client.ts';
type Models = components['schemas'];
type Answer<O extends keyof operations, S extends number> = operations[O] extends {
  responses: Record<S, { content: { 'application/json': infer A } }>;
} ? A : never;
export const asked: Models['DecisionInput'] = {
  agentId: 'refunds',
  inputContext: { prompt: 'Refund order 7' },
  outputDecision: { action: { tool: 'refund', order: 7 } },
};
export const verdict: Models['VerdictInput'] = { decision: 'approve' };
export const readStatus = (answer: Answer<'getTraces', 200>): Models['DecisionStatus'][] =>
  answer.data.map((decision: Models['Decision']) => decision.status);
export const countPages = ({ pagination }: Answer<'getTraces', 200>): number => pagination.pages;
export const readVerdict = (
  answer: Answer<'postReviewQueueIdDecision', 200>,
): Models['ReviewItem'] => answer.data;
export const readError = (failure: Models['Failure']): Models['ErrorCode'] => failure.code;
// @ts-expect-error: there is no such verdict
export const wrong: Models['VerdictInput'] = { decision: 'maybe' };
`;

/** Compilers take as long as the machine needs. */
const COMPILING = { timeout: 300_000 };

test(
  'a TypeScript client has the models by name and compiles in strict mode',
  { tags: ['long'], ...COMPILING },
  async () => {
    const folder = await createFolder();
    const client = astToString(await openapiTS(OPENAPI_FILE, { silent: true }));
    await writeFile(join(folder, 'client.ts'), client);
    const program = join(folder, 'program.ts');
    await writeFile(program, PROGRAM);
    const compiled = ts.createProgram([program], {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: [],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      allowImportingTsExtensions: true,
    });
    const faults = ts.getPreEmitDiagnostics(compiled);
    expect(
      faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
    ).toEqual([]);
  },
);

const GENERATOR = ['datamodel-code-generator==0.89.0'];
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/python-client');
const python = join(CACHE, 'bin/python3');

/** Installs the generator once; null, or why it cannot be installed here. */
async function installGenerator(): Promise<string | null> {
  if (existsSync(join(CACHE, 'bin/datamodel-codegen'))) return null;
  await mkdir(CACHE, { recursive: true });
  try {
    await run('python3', ['-m', 'venv', CACHE]);
    await run(python, ['-m', 'pip', 'install', '--quiet', '--retries', '1', ...GENERATOR]);
    return null;
  } catch (error) {
    return `no Python, or no registry of packages: ${String(error).split('\n')[0]}`;
  }
}

const PYTHON_PROGRAM = `
from typing import get_args
from client import Decision, DecisionInput, DecisionStatus, ErrorCode, Policy, ReviewItem, VerdictInput
asked: DecisionInput = {
    "agentId": "refunds",
    "inputContext": {"prompt": "Refund order 7"},
    "outputDecision": {"action": {"tool": "refund"}},
}
assert set(asked) <= DecisionInput.__required_keys__
assert "decision" in VerdictInput.__required_keys__
assert {"status", "hashChain", "review"} <= set(Decision.__annotations__)
assert "blocked" in get_args(DecisionStatus)
assert "NOT_FOUND" in get_args(ErrorCode)
`;

test(
  'a Python client has the models by name and compiles',
  { tags: ['long'], timeout: 240_000 },
  async (context) => {
    const reason = await installGenerator();
    if (reason !== null) context.skip(reason);
    const folder = await createFolder();
    const options = ['--input-file-type', 'openapi', '--output-model-type', 'typing.TypedDict'];
    await run(python, [
      ...['-W', 'ignore', '-m', 'datamodel_code_generator', ...options],
      ...['--input', OPENAPI_FILE.pathname, '--output', join(folder, 'client.py')],
    ]);
    await writeFile(join(folder, 'program.py'), PYTHON_PROGRAM);
    await run(python, ['program.py'], { cwd: folder });
  },
);
