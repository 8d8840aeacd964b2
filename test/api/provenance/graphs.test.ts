// Provenance graphs over HTTP (document 3, section 4.6): negotiated, scrubbed, of one decision or the newest.
import { Parser } from 'n3';
import { beforeAll, expect, test } from 'vitest';
import { GRAPH_TYPES } from '../../../src/domain/provenance/prov-o/serialise.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { createAgent, createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import { normalizeGraph } from '../../setup/rdf/canonical-graph.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const path = '/api/v1/provenance/provo';

let parent: string;
let child: string;
let agentId: string;
let key: string;
async function post(more: object): Promise<string> {
  const answer = await app.call('POST', '/api/v1/traces', {
    key,
    body: buildDecision(agentId, more),
  });
  return assertOk(answer).body.data.traceId;
}
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  ({ id: agentId } = await createAgent(app, ada));
  parent = await post({});
  const prompt = 'Write to eve@example.com about it';
  child = await post({ inputContext: { prompt, parentTraceId: parent } });
});

const get = (below: string, accept?: string, { token } = ada): Promise<Answer> =>
  app.call('GET', `${path}${below}`, { token, ...(accept && { headers: { accept } }) });
const typeOf = ({ headers }: Answer): string | null => headers.get('content-type');

test('JSON-LD by default, with a context of its own', async () => {
  const answer = assertOk(await get(`/trace/${child}`));
  expect(typeOf(answer)).toBe('application/ld+json; charset=utf-8');
  expect(answer.headers.get('vary')).toContain('Accept');
  const { '@context': context, '@graph': graph } = answer.body;
  expect(context.prov).toBe('http://www.w3.org/ns/prov#');
  const id = `urn:assay:${ada.organizationId}:trace`;
  const node = graph.find((found: { '@id': string }) => found['@id'] === `${id}:${child}`);
  expect(node).toMatchObject({
    '@type': ['http://www.w3.org/ns/prov#Entity'],
    'assay:status': ['approved'],
    'prov:wasDerivedFrom': [{ '@id': `${id}:${parent}` }],
    'prov:wasAttributedTo': [{ '@id': `urn:assay:${ada.organizationId}:agent:${agentId}` }],
  });
  expect(answer.text).not.toMatch(/eve@|Write to/);
  expect(JSON.stringify(graph)).not.toMatch(/rdf:type|xsd:string/);
});

test.for(['text/turtle', 'application/n-triples'])('%s on request', async (type) => {
  const answer = assertOk(await get(`/trace/${child}`, type));
  expect(typeOf(answer)).toBe(`${type}; charset=utf-8`);
  const quads = new Parser({ format: type }).parse(answer.text);
  expect(quads.length).toBeGreaterThan(10);
});

test('both forms are the same graph, of one decision and of the newest', async () => {
  for (const below of [`/trace/${child}`, `/trace/${parent}`, '/recent']) {
    const forms = await Promise.all(
      GRAPH_TYPES.map(async (type) => normalizeGraph(assertOk(await get(below, type)).text, type)),
    );
    expect(forms[0]).toContain('wasGeneratedBy');
    expect(new Set(forms).size).toBe(1);
  }
});

test('the newest decisions are one graph', async () => {
  const count = async (query: string): Promise<number> => {
    const { text } = assertOk(await get(`/recent${query}`, 'application/n-triples'));
    return text.split('\n').filter((line) => line.includes('wasGeneratedBy')).length;
  };
  expect(await count('')).toBe(2);
  expect(await count('?limit=1')).toBe(1);
  expect(await count('?limit=5000')).toBe(2);
  expect(toOutcome(await get('/recent?limit=0'))).toEqual([400, 'VALIDATION_ERROR']);
});

test('a graph is its organisation’s, and its agents’ for a key of some agents', async () => {
  expect(toOutcome(await get(`/trace/${child}`, undefined, eve))).toEqual([404, 'NOT_FOUND']);
  expect(assertOk(await get('/recent', undefined, eve)).body['@graph']).toEqual([]);
  expect(toOutcome(await get('/trace/trc_nothing'))).toEqual([404, 'NOT_FOUND']);
  const { id: otherAgent } = await createAgent(app, ada);
  const scoped = await createWorkspaceKey(app, ada, { scope: { agentIds: [otherAgent] } });
  const asKey = await app.call('GET', `${path}/trace/${child}`, { key: scoped.key });
  expect(toOutcome(asKey)).toEqual([404, 'NOT_FOUND']);
});
