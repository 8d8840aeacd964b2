// Serializes a graph in one of three media types, chosen by the Accept header (document 3, section 4.6).
import type { IncomingMessage } from 'node:http';
import accepts from 'accepts';
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

/** The types of the answers, and JSON, which JSON-LD is. */
const OFFERED = [...GRAPH_TYPES, 'application/json'].map((type) => `${type};charset=utf-8`);
/** A quality above 1, which `accepts` would take for the best one. */
const EXCESSIVE = /;\s*q=\s*([2-9]|1\d|1\.0*[1-9])/i;

/** The preferred type of an Accept header; the default when none is known or all are refused. */
export function negotiateGraphType(header: string | undefined): GraphType {
  const accept = header
    ?.split(',')
    .filter((range) => !EXCESSIVE.test(range))
    .join(',');
  const preferred = accepts({ headers: { accept } } as IncomingMessage).type(OFFERED);
  return GRAPH_TYPES.find((type) => String(preferred).startsWith(type)) ?? GRAPH_TYPES[0];
}
