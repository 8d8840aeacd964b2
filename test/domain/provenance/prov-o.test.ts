// Provenance graphs: the three serialisations are one graph (by its RDFC-1.0 hash) and contain digests only.
// @module-tag varied
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  GRAPH_TYPES,
  negotiateGraphType,
  serializeGraph,
} from '../../../src/domain/provenance/prov-o/serialise.ts';
import {
  type Provenance,
  type Review,
  createTriples,
} from '../../../src/domain/provenance/prov-o/triples.ts';
import { sha256Hex } from '../../../src/domain/record/chain.ts';
import { normalizeGraph } from '../../setup/rdf/canonical-graph.ts';
import { chooseRuns } from '../../setup/runs.ts';

const AT = new Date('2026-05-05T05:05:05.005Z');
const REVIEW: Review = { sequence: 9, userId: 'a'.repeat(24), decision: 'approve', at: AT };

const decisionOf = (more: Partial<Provenance> = {}): Provenance => ({
  organizationId: '65f0000000000000000000a1',
  traceId: 'trc_1',
  agentId: '65f0000000000000000000b1',
  agentName: 'Support "bot" \\ <x>\n',
  agentVersion: '1.2.3',
  status: 'approved',
  timestamp: AT,
  createdAt: AT,
  hashChain: { sequence: 7, chainHash: 'ab'.repeat(32) },
  inputContext: { prompt: 'a secret prompt', parentTraceId: 'trc_0' },
  outputDecision: { action: 'a secret action' },
  policyIds: ['65f0000000000000000000c1', '65f0000000000000000000c2'],
  reviews: [REVIEW],
  ...more,
});

async function hashesOf(
  decisions: Provenance[],
): Promise<{ hashes: Set<string>; lines: string[] }> {
  const canonical = await Promise.all(
    GRAPH_TYPES.map(async (type) =>
      normalizeGraph(await serializeGraph(createTriples(decisions), type), type),
    ),
  );
  const hashes = new Set(canonical.map((text) => createHash('sha256').update(text).digest('hex')));
  return { hashes, lines: (canonical[0] ?? '').split('\n').filter((line) => line !== '') };
}

const TRACE = 'urn:assay:65f0000000000000000000a1:trace:trc_1';
const prov = (name: string): string => `<http://www.w3.org/ns/prov#${name}>`;
const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';

test('the three serialisations are the same graph', async () => {
  const { hashes, lines } = await hashesOf([
    decisionOf(),
    decisionOf({ traceId: 'trc_2', reviews: [] }),
  ]);
  expect(hashes.size).toBe(1);
  expect(lines).toHaveLength(
    createTriples([decisionOf(), decisionOf({ traceId: 'trc_2', reviews: [] })]).length,
  );
});

test('strings have no type in either form, and all other literals have one', async () => {
  const triples = createTriples([decisionOf()]);
  const turtle = await serializeGraph(triples, 'text/turtle');
  const { '@graph': graph } = JSON.parse(await serializeGraph(triples, 'application/ld+json'));
  expect(turtle).not.toMatch(/\^\^xsd:string|rdf:type/);
  const trace = graph.find((node: { '@id': string }) => node['@id'] === TRACE);
  expect(trace).toMatchObject({
    '@type': ['http://www.w3.org/ns/prov#Entity'],
    'assay:chainHash': ['ab'.repeat(32)],
    'assay:sequence': [{ '@value': '7', '@type': 'xsd:integer' }],
    'prov:generatedAtTime': [{ '@value': AT.toISOString(), '@type': 'xsd:dateTime' }],
  });
  const agent = graph.find((node: object) => 'rdfs:label' in node);
  expect(agent['@type']).toEqual([
    'http://www.w3.org/ns/prov#SoftwareAgent',
    'http://www.w3.org/ns/prov#Agent',
  ]);
  expect(agent['rdfs:label']).toEqual([decisionOf().agentName]);
  expect(JSON.stringify(graph)).not.toMatch(/rdf:type|xsd:string/);
});

test('trace, invocation, agent, parent, policies and reviewer have their PROV-O types', async () => {
  const { lines } = await hashesOf([decisionOf()]);
  const org = TRACE.slice(0, TRACE.indexOf(':trace'));
  const [trace, agent] = [`<${TRACE}>`, `<${org}:agent:65f0000000000000000000b1>`];
  const [invocation, review] = [`<${TRACE}#invocation>`, `<${TRACE}#review-9>`];
  const [association, person] = [`<${TRACE}#association>`, `<${org}:user:${'a'.repeat(24)}>`];
  const policy = `<${org}:policy:65f0000000000000000000c2>`;
  expect(lines).toEqual(
    expect.arrayContaining([
      `${trace} ${TYPE} ${prov('Entity')} .`,
      `${invocation} ${TYPE} ${prov('Activity')} .`,
      `${agent} ${TYPE} ${prov('SoftwareAgent')} .`,
      `${trace} ${prov('wasGeneratedBy')} ${invocation} .`,
      `${trace} ${prov('wasAttributedTo')} ${agent} .`,
      `${trace} ${prov('wasDerivedFrom')} <${org}:trace:trc_0> .`,
      `${invocation} ${prov('wasAssociatedWith')} ${agent} .`,
      `${association} ${prov('hadPlan')} ${policy} .`,
      `${policy} ${TYPE} ${prov('Plan')} .`,
      `${review} ${prov('used')} ${trace} .`,
      `${review} ${prov('wasAssociatedWith')} ${person} .`,
      `${person} ${TYPE} ${prov('Person')} .`,
    ]),
  );
});

test('payloads are digests of their canonical text', async () => {
  const { lines } = await hashesOf([decisionOf()]);
  const text = lines.join('\n');
  expect(text).not.toContain('secret');
  expect(text).toContain(sha256Hex('{"action":"a secret action"}'));
  expect(text).toContain(sha256Hex('{"parentTraceId":"trc_0","prompt":"a secret prompt"}'));
  const { lines: erased } = await hashesOf([
    decisionOf({ inputContext: null, outputDecision: null }),
  ]);
  expect(erased.join()).not.toMatch(/Digest|derived/i);
});

test.for([
  ['one', 'trc_0', 1],
  ['several, one of them twice', ['trc_0', 'trc_9', 'trc_0'], 2],
  ['none', null, 0],
  ['a number', 5, 0],
  ['an object', { id: 'trc_0' }, 0],
  ['a list with something else in it', ['trc_0', 5, '', null], 1],
  ['a text that is too long', 'x'.repeat(201), 0],
  ['more than the limit', Array.from({ length: 60 }, (_, i) => `trc_${i}`), 50],
] as const)('parents: %s', async ([, parentTraceId, edges]) => {
  const decision = decisionOf({ inputContext: { parentTraceId } as never });
  const derived = createTriples([decision]).filter(
    ({ predicate }) => predicate === 'prov:wasDerivedFrom',
  );
  expect(derived).toHaveLength(edges);
});

test('any texts of a decision give valid serialisations of the same graph', async () => {
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 30 })
    .filter((t) => t.isWellFormed());
  await fc.assert(
    fc.asyncProperty(text, text, text, async (agentId, agentName, parentTraceId) => {
      const { hashes, lines } = await hashesOf([
        decisionOf({ agentId, agentName, inputContext: { parentTraceId } }),
      ]);
      expect(hashes.size).toBe(1);
      expect(lines.filter((line) => line.includes('wasDerivedFrom'))).toHaveLength(1);
    }),
    { numRuns: chooseRuns(50, 600) },
  );
});

const [LD, TURTLE, TRIPLES] = GRAPH_TYPES;
test.for([
  [undefined, LD],
  ['', LD],
  ['*/*', LD],
  ['application/json', LD],
  ['application/ld+json', LD],
  ['text/turtle', TURTLE],
  ['TEXT/Turtle', TURTLE],
  ['application/n-triples', TRIPLES],
  ['text/turtle;q=0.5, application/n-triples', TRIPLES],
  ['text/turtle, application/n-triples', TURTLE],
  ['application/n-triples;q=0.2, text/turtle;q=0.3', TURTLE],
  ['text/html, application/n-triples;q=0.1', TRIPLES],
  ['text/*', TURTLE],
  ['text/html', LD],
  ['text/turtle;q=0', LD],
  ['text/turtle;q=nonsense', LD],
  ['text/turtle;q=7', LD],
  ['text/turtle;charset=utf-8', TURTLE],
  [',,;;,', LD],
] as const)('Accept %s', ([accept, type]) => {
  expect(negotiateGraphType(accept)).toBe(type);
});
