// Each engine, packed and installed alone in an empty folder: a short program of plain Node.js uses it, and its types are found.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { packEngines } from '../../scripts/build/engine-packages.ts';
import { ROOT } from '../../scripts/release/owner.ts';
import { createMachine } from './machine.ts';

const COMPILER = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const COMPILER_OPTIONS = [
  ...['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'],
  ...['--typeRoots', join(ROOT, 'node_modules/@types')],
];

/** What each program does, and what it prints. */
const PROGRAMS: Record<string, [program: string, printed: string]> = {
  'embedded-mongod': [
    `import { findFreePort } from '@assay/embedded-mongod';
console.log(await findFreePort() > 0);`,
    'true',
  ],
  json: [
    `import { canonicalize, parseSafeJson } from '@assay/json';
console.log(canonicalize(parseSafeJson('{"b":1,"a":[]}')));`,
    '{"a":[],"b":1}',
  ],
  'otlp-decisions': [
    `import { DEFINITIONS, findExportEncoding, readTraceExport } from '@assay/otlp-decisions';
import protobuf from 'protobufjs/light.js';
const Request = protobuf.Root.fromJSON(DEFINITIONS).lookupType('ExportTraceServiceRequest');
const values = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'refund',
  'gen_ai.agent.name': 'desk', 'gen_ai.tool.call.arguments': '{"amount":90}' };
const attributes = Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
const read = (ids, write, type) => {
  const resourceSpans = [{ scopeSpans: [{ spans: [{ ...ids, name: 'execute_tool', attributes }] }] }];
  const [{ agent, action, dialect }] =
    readTraceExport(write({ resourceSpans }), findExportEncoding(type)).decisions;
  console.log(JSON.stringify([agent, action, dialect]));
};
read({ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) },
  (body) => Buffer.from(JSON.stringify(body)), 'application/json');
read({ traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 1) },
  (body) => Request.encode(Request.fromObject(body)).finish(), 'application/x-protobuf');`,
    Array(2).fill('["desk",{"tool":"refund","arguments":{"amount":90}},"genai"]').join('\n'),
  ],
  patterns: [
    `import { compilePattern, Work } from '@assay/patterns';
console.log(compilePattern('(?i)refund').pattern.hasMatch(['A Refund'], new Work(2_000_000)));`,
    'true',
  ],
  policy: [
    `import { compilePolicies, deriveFacts, Work, workLimits } from '@assay/policy';
import { parsePolicy } from '@assay/policy/language';
const { policy } = parsePolicy('policy "Refunds"\\n  when action.totalAmount > 100\\n  then block');
const set = compilePolicies([{ ...policy, id: 'p1', revision: 1 }]);
const submitted = { outputDecision: { action: { amount: 101 } } };
const facts = deriveFacts({ submitted, at: new Date(), agentName: 'desk', confidenceScore: 1,
  tags: [], pii: [] }, set.reads);
console.log(set.evaluate(facts, new Work(workLimits.conditions)).status);`,
    'blocked',
  ],
  saml: [
    `import { createAuthnRequest, readResponse, SamlError } from '@assay/saml';
const [issuer, destination] = ['https://app.example.com', 'https://idp.example.com'];
console.log(createAuthnRequest({ id: '_1', issuer, destination, now: new Date() }, issuer, null)
  .includes('AuthnRequest'));
try {
  readResponse({ kind: 'response', base64: 'PGEvPg==', certificates: [] }, null);
} catch (error) {
  console.log(error instanceof SamlError);
}`,
    'true\ntrue',
  ],
  scim: [
    `import { compileFilter, USER_SCHEMA } from '@assay/scim';
console.log(compileFilter('userName sw "A"', USER_SCHEMA).matches({ userName: 'ada' }));`,
    'true',
  ],
  scrub: [
    `import { createScrubber, Work, workLimits } from '@assay/scrub';
const scrubber = createScrubber({ nationalIds: true, extended: true });
console.log(scrubber.scrubValue('Mail ada@example.com', new Work(workLimits.scrubbing)).value);`,
    'Mail [EMAIL]',
  ],
  tlog: [
    `import { computeRoot, hashLeaf } from '@assay/tlog';
console.log(computeRoot([hashLeaf(Buffer.from('a'))]).length);`,
    '32',
  ],
  verifier: [
    `import { verifyBytes } from '@assay/verifier';
import { expandBytes, readBytes } from '@assay/verifier/files';
const { verdict } = await verifyBytes(expandBytes(readBytes('package.json')), { pins: [] });
console.log(verdict);`,
    'cannot tell',
  ],
};

let packed: ReadonlyMap<string, string>;
beforeAll(() => {
  packed = packEngines(join(inject('outside'), 'engines'));
});

test('there is a program for each engine', () => {
  expect([...packed.keys()]).toEqual(Object.keys(PROGRAMS).map((name) => `@assay/${name}`));
});

test.each(Object.entries(PROGRAMS))('%s', async (name, [program, printed]) => {
  const machine = await createMachine(`engine-${name}`);
  await machine.write('package.json', '{ "private": true, "type": "module" }');
  const file = packed.get(`@assay/${name}`)!;
  await machine.run('npm', 'install', '--silent', '--prefer-offline', '--no-audit', file);
  await machine.write('program.js', program);
  expect((await machine.run(process.execPath, 'program.js')).trim()).toBe(printed);
  const folder = join(machine.folder, 'node_modules/@assay', name);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: object;
  };
  const entries = Object.keys(exports).map((entry) => join('@assay', name, entry));
  const types = entries.map((entry) => `export type * from '${entry}';`);
  await machine.write('types.ts', types.join('\n'));
  await machine.run(process.execPath, COMPILER, ...COMPILER_OPTIONS, 'types.ts');
  const own = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(own.filter((path) => /(?<!\.d)\.ts$/.test(path))).toEqual([]);
});
