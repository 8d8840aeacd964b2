// A graph in its canonical form (RDFC-1.0), read by libraries that did not write it: equal texts are isomorphic graphs.
import jsonld from 'jsonld';
import { Parser, Writer } from 'n3';
import { canonize } from 'rdf-canonize';
import type { GraphType } from '../../../src/domain/provenance/prov-o/serialise.ts';

const FORMAT = 'application/n-quads';

export async function normalizeGraph(text: string, type: GraphType): Promise<string> {
  const quads = await readQuads(text, type);
  return canonize(quads, { algorithm: 'RDFC-1.0', inputFormat: FORMAT, format: FORMAT });
}

async function readQuads(text: string, type: GraphType): Promise<string> {
  if (type === 'application/ld+json')
    return jsonld.toRDF(JSON.parse(text) as object, {
      format: FORMAT,
      documentLoader: (url) => Promise.reject(new Error(`asked for ${url}`)),
    });
  const writer = new Writer({ format: 'N-Quads' });
  writer.addQuads(new Parser({ format: type }).parse(text));
  return new Promise((resolve, reject) => {
    writer.end((error: Error | null, quads: string) => (error ? reject(error) : resolve(quads)));
  });
}
