// Triples as JSON-LD with an embedded context, so that readers need not fetch one.
import type { Json, JsonObject } from '@assay/json';
import { groupBy } from '../../group-by.ts';
import { PREFIXES, type Term, type Triple } from './triples.ts';

export function toJsonLd(triples: readonly Triple[]): string {
  const bySubject = groupBy(triples, ({ subject }) => subject);
  const graph = [...bySubject].map(([subject, about]) => toNode(subject, about));
  return JSON.stringify({ '@context': PREFIXES, '@graph': graph });
}

function toNode(subject: string, about: readonly Triple[]): JsonObject {
  const node: JsonObject = { '@id': subject };
  for (const [predicate, triples] of groupBy(about, (triple) => triple.predicate))
    if (predicate === 'rdf:type') node['@type'] = triples.flatMap(({ object }) => toTypes(object));
    else node[predicate] = triples.map(({ object }) => toValue(object));
  return node;
}

const toTypes = (term: Term): string[] => ('iri' in term ? [term.iri] : []);

/** Strings carry no type, as in Turtle: some readers take an explicit `xsd:string` for another type. */
function toValue(term: Term): Json {
  if ('iri' in term) return { '@id': term.iri };
  return term.type === 'xsd:string' ? term.text : { '@value': term.text, '@type': term.type };
}
