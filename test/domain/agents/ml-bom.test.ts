// The ML-BOM: valid by the official schema for any metadata, with a digest that depends on the metadata only.
// @module-tag varied
import { createHash } from 'node:crypto';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { canonicalize, type JsonObject } from '@assay/json';
import {
  createMlBom,
  isOpaqueReference,
  type MlBom,
  type ModelMetadata,
} from '../../../src/domain/agents/ml-bom.ts';
import { listPlaces } from '../../contract/paths.ts';
import { chooseRuns } from '../../setup/runs.ts';

const official = new Validation.JsonStrictValidator(Spec.Version.v1dot7);
const agent = { id: '0123456789abcdef01234567', name: 'Support' };
const at = new Date('2026-02-03T04:05:06.007Z');
const full = {
  provider: 'Example AI',
  model: 'answers-large',
  version: '3.1',
  license: 'Apache-2.0',
  riskClass: 'limited',
  purpose: 'Answers customers',
  trainingDataSummary: 'Public letters',
  datasets: [
    {
      name: 'letters',
      uri: 's3://bucket/letters',
      license: 'CC-BY-4.0',
      sha256: 'a'.repeat(64),
      description: 'Letters, 2019 to 2023',
    },
    { name: 'replies' },
  ],
} satisfies ModelMetadata;

const faultsOf = (bom: unknown): Promise<unknown> => official.validate(JSON.stringify(bom));

test('contains all stated metadata', () => {
  const { bom } = createMlBom(agent, full, at);
  expect(bom).toEqual({
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    serialNumber: bom.serialNumber,
    version: 1,
    metadata: {
      timestamp: '2026-02-03T04:05:06.007Z',
      component: { type: 'application', 'bom-ref': agent.id, name: 'Support' },
    },
    components: [
      {
        type: 'machine-learning-model',
        'bom-ref': 'model',
        supplier: { name: 'Example AI' },
        name: 'answers-large',
        version: '3.1',
        licenses: [{ license: { name: 'Apache-2.0' } }],
        modelCard: {
          modelParameters: { datasets: [{ ref: 'dataset-1' }, { ref: 'dataset-2' }] },
          considerations: { useCases: ['Answers customers'] },
          properties: [
            { name: 'assay:riskClass', value: 'limited' },
            { name: 'assay:trainingDataSummary', value: 'Public letters' },
          ],
        },
      },
      {
        type: 'data',
        'bom-ref': 'dataset-1',
        name: 'letters',
        description: 'Letters, 2019 to 2023',
        hashes: [{ alg: 'SHA-256', content: 'a'.repeat(64) }],
        licenses: [{ license: { name: 'CC-BY-4.0' } }],
        data: [{ type: 'dataset', contents: { url: 's3://bucket/letters' } }],
      },
      { type: 'data', 'bom-ref': 'dataset-2', name: 'replies', data: [{ type: 'dataset' }] },
    ],
    dependencies: [
      { ref: agent.id, dependsOn: ['model'] },
      { ref: 'model', dependsOn: ['dataset-1', 'dataset-2'] },
    ],
  });
});

test('contains a model even without metadata', async () => {
  const { bom } = createMlBom(agent, {}, at);
  expect(bom.components).toMatchObject([{ type: 'machine-learning-model', name: 'unstated' }]);
  expect(await faultsOf(bom)).toBeNull();
});

test('the official schema refuses invalid documents', async () => {
  const { bom } = createMlBom(agent, full, at);
  expect(await faultsOf(bom)).toBeNull();
  for (const wrong of [
    { ...bom, bomFormat: 'Other' },
    { ...bom, serialNumber: 'urn:uuid:1' },
    { ...bom, extra: 1 },
    {
      ...bom,
      components: [
        { ...bom.components[0], modelCard: { modelParameters: { datasets: [{ name: 1 }] } } },
      ],
    },
  ])
    expect(await faultsOf(wrong)).not.toBeNull();
});

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((value) => value.isWellFormed());
const dataset = fc.record(
  {
    name: text,
    uri: fc.webUrl({ withFragments: true, withQueryParameters: true }).filter(isOpaqueReference),
    license: text,
    sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
    description: text,
  },
  { requiredKeys: ['name'] },
);
const stated = fc.record(
  {
    provider: text,
    model: text,
    version: text,
    license: text,
    riskClass: text,
    purpose: text,
    trainingDataSummary: text,
    datasets: fc.array(dataset, { maxLength: 5 }),
  },
  { requiredKeys: [] },
);

test('any metadata gives a valid BOM', async () => {
  await fc.assert(
    fc.asyncProperty(stated, text, async (metadata, name) => {
      expect(await faultsOf(createMlBom({ ...agent, name }, metadata, at).bom)).toBeNull();
    }),
    { numRuns: chooseRuns(20, 60) },
  );
}, 60_000);

/** Computes the digest independently, from the document alone. */
function digestAgain({ serialNumber: _serial, metadata, ...rest }: MlBom): string {
  const { component } = metadata;
  return createHash('sha256')
    .update(canonicalize({ ...rest, metadata: { component } } as unknown as JsonObject))
    .digest('hex');
}

describe('the digest', () => {
  it('can be recomputed from the document and determines the serial number', () => {
    fc.assert(
      fc.property(stated, fc.date({ noInvalidDate: true, min: at }), (metadata, later) => {
        const [now, then] = [
          createMlBom(agent, metadata, at),
          createMlBom(agent, structuredClone(metadata), later),
        ];
        expect(digestAgain(then.bom)).toBe(now.digest);
        expect(then.bom.serialNumber).toBe(now.bom.serialNumber);
        expect(then.bom.metadata.timestamp).toBe(later.toISOString());
      }),
    );
  });

  it('changes with any metadata', () => {
    const variants: ModelMetadata[] = [
      full,
      {},
      ...Object.keys(full).map((name) => ({ ...full, [name]: undefined }) as ModelMetadata),
      ...Object.keys(full.datasets[0] ?? {}).map((name) => ({
        ...full,
        datasets: [{ name: 'other', ...full.datasets[0], [name]: 'b'.repeat(64) }],
      })),
      { ...full, datasets: full.datasets.toReversed() },
    ];
    const boms = [
      ...variants.map((metadata) => createMlBom(agent, metadata, at)),
      createMlBom({ ...agent, name: 'Other' }, full, at),
      createMlBom({ ...agent, id: 'f'.repeat(24) }, full, at),
    ];
    expect(new Set(boms.map(({ digest }) => digest)).size).toBe(boms.length);
    expect(new Set(boms.map(({ bom }) => bom.serialNumber)).size).toBe(boms.length);
  });

  it('has a known value', () => {
    const { digest, bom } = createMlBom(agent, full, at);
    expect([digest, bom.serialNumber]).toEqual([
      '558a009af2b58cf62a9c5f3ccb0c166b9dd805c6a905d945478165fd297852ea',
      'urn:uuid:558a009a-f2b5-8cf6-aa9c-5f3ccb0c166b',
    ]);
  });
});

test('a serial number is a UUID of version 8', () => {
  fc.assert(
    fc.property(text, (name) => {
      expect(createMlBom({ ...agent, name }, {}, at).bom.serialNumber).toMatch(
        /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }),
  );
});

const CANARIES = [
  '","serialNumber":"canary',
  '{"bom-ref":"model"}',
  'model',
  'dataset-1',
  'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#model',
  '__proto__',
  '${7*7} {{7*7}} <%= 7*7 %>',
  '<script>alert(1)</script>',
  '../../etc/passwd\r\nX-Canary: 1',
  '\u202ecanary\u0000',
];

test.each(CANARIES)('%j in every text is a text and nothing else', async (canary) => {
  const plain = createMlBom(agent, full, at).bom;
  const texts = listPlaces(full).filter(
    ({ path, value }) => typeof value === 'string' && !/uri|sha256/.test(path.join()),
  );
  expect(texts).toHaveLength(11);
  const everywhere: ModelMetadata = JSON.parse(
    JSON.stringify(full, (name, value: unknown) =>
      typeof value === 'string' && !['uri', 'sha256'].includes(name) ? canary : value,
    ),
  );
  const { bom } = createMlBom({ ...agent, name: canary }, everywhere, at);
  expect(await faultsOf(bom)).toBeNull();
  expect(listPlaces(bom).map(({ path }) => path)).toEqual(
    listPlaces(plain).map(({ path }) => path),
  );
  const changed = listPlaces(bom).filter(
    ({ value }, place) => value !== listPlaces(plain)[place]?.value,
  );
  const leaves = changed.filter(
    ({ path, value }) => typeof value === 'string' && path[0] !== 'serialNumber',
  );
  expect(leaves.map(({ value }) => value)).toEqual(texts.map(() => canary).concat(canary));
  const refs = listPlaces(bom).filter(({ path }) => /^(bom-ref|ref)$/.test(String(path.at(-1))));
  expect(new Set(refs.map(({ value }) => value))).toEqual(
    new Set([agent.id, 'model', 'dataset-1', 'dataset-2']),
  );
});

test.each([
  'https://example.com/data?v=1#part',
  'https://example.com:8443/a%20b',
  's3://bucket/key',
  'hf://datasets/org/name',
  'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  'doi:10.1000/182',
  'ipfs://bafybeigdyrzt',
  'file:///srv/data',
  'HTTPS://EXAMPLE.COM',
])('%s refers to data', (uri) => {
  expect(isOpaqueReference(uri)).toBe(true);
});

test.each([
  '',
  's3:',
  'letters',
  '/srv/data',
  '//example.com/data',
  'data:text/csv;base64,bmFtZQ==',
  'DATA:,x',
  'blob:https://example.com/1',
  'javascript:alert(1)',
  'vbscript:x',
  's3://user:secret@bucket/data',
  's3://token@bucket/data',
  's3://buck et',
  'https://example.com/a b',
  'https://example.com/%zz',
  'https://example.com/"quoted"',
  'https://example.com/<x>',
  'https://example.com:port/',
  'https://example.com/a\nb',
  's3://例/',
  'https://example.com/#a#b',
  '1a:b',
])('%j is no reference', (uri) => {
  expect(isOpaqueReference(uri)).toBe(false);
});

test('accepts only URIs as references, and checks long ones fast', () => {
  const isUri = formats.default.get('uri') as (text: string) => boolean;
  const near = fc.string({ unit: fc.constantFrom(...'ab1:/@?#[]%2.-+ "'), maxLength: 30 });
  fc.assert(
    fc.property(near, (tail) => {
      fc.pre(isOpaqueReference(`ab:${tail}`));
      expect(isUri(`ab:${tail}`)).toBe(true);
    }),
    { numRuns: chooseRuns(300, 2_000) },
  );
  expect(isOpaqueReference(`a:${'%41/'.repeat(50_000)}"`)).toBe(false);
});
