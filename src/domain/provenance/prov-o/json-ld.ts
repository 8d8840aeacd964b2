// Triples as JSON-LD with a context of its own, so that nobody has to fetch one.
import type { JsonObject } from '../../record/json.ts';
import { groupBy } from '../../group-by.ts';
import { PREFIXES, type Term, type Triple } from './triples.ts';

export function toJsonLd(triples: readonly Triple[]): string {
  const bySubject = groupBy(triples, ({ subject }) => subject);
  const graph = [...bySubject].map(([subject, about]) => nodeOf(subject, about));
  return JSON.stringify({ '@context': PREFIXES, '@graph': graph });
}

function nodeOf(subject: string, about: readonly Triple[]): JsonObject {
  const node: JsonObject = { '@id': subject };
  for (const [predicate, triples] of groupBy(about, (triple) => triple.predicate))
    node[predicate] = triples.map(({ object }) => valueOf(object));
  return node;
}

const valueOf = (term: Term): JsonObject =>
  'iri' in term ? { '@id': term.iri } : { '@value': term.text, '@type': term.type };
