// Serializes a graph in one of three media types, chosen by the Accept header (document 3, section 4.6).
import { DataFactory, Writer } from 'n3';
import { toJsonLd } from './json-ld.ts';
import { expandName, PREFIXES, type Term, type Triple } from './triples.ts';

/** The first is the default. */
export const GRAPH_TYPES = ['application/ld+json', 'text/turtle', 'application/n-triples'] as const;
export type GraphType = (typeof GRAPH_TYPES)[number];

const { namedNode, literal, quad } = DataFactory;

export function serializeGraph(triples: readonly Triple[], type: GraphType): Promise<string> {
  if (type === 'application/ld+json') return Promise.resolve(toJsonLd(triples));
  const options = type === 'text/turtle' ? { prefixes: PREFIXES } : {};
  const writer = new Writer({ format: type, ...options });
  for (const { subject, predicate, object } of triples)
    writer.addQuad(
      quad(namedNode(subject), namedNode(expandName(predicate)), toQuadObject(object)),
    );
  return new Promise((resolve, reject) => {
    writer.end((error: Error | null, text: string) => (error ? reject(error) : resolve(text)));
  });
}

const toQuadObject = (term: Term) =>
  'iri' in term ? namedNode(term.iri) : literal(term.text, namedNode(expandName(term.type)));

const RANGES: Readonly<Record<string, GraphType>> = {
  'application/json': 'application/ld+json',
  'application/*': 'application/ld+json',
  '*/*': 'application/ld+json',
  'text/*': 'text/turtle',
};

/** The preferred type of an Accept header; the default when none is known or all are refused. */
export function negotiateGraphType(accept: string | undefined): GraphType {
  let best: GraphType = GRAPH_TYPES[0];
  let quality = 0;
  for (const part of (accept ?? '').split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const type = GRAPH_TYPES.find((known) => known === range) ?? RANGES[range];
    const wanted = parseQuality(parameters);
    if (type !== undefined && wanted > quality) [best, quality] = [type, wanted];
  }
  return best;
}

/** The parameter `q`: 1 when absent, 0 when it is not a number from 0 to 1. */
function parseQuality(parameters: readonly string[]): number {
  const given = parameters.find((text) => text.startsWith('q='));
  if (given === undefined) return 1;
  const quality = Number(given.slice(2));
  return quality >= 0 && quality <= 1 ? quality : 0;
}
