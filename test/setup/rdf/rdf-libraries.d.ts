// The parts of two libraries that tests use; neither has types of its own.
declare module 'jsonld' {
  interface Options {
    format: 'application/n-quads';
    documentLoader: (url: string) => Promise<never>;
  }
  const jsonld: { toRDF(document: object, options: Options): Promise<string> };
  export default jsonld;
}
declare module 'rdf-canonize' {
  export function canonize(
    input: string,
    options: {
      algorithm: 'RDFC-1.0';
      inputFormat: 'application/n-quads';
      format: 'application/n-quads';
    },
  ): Promise<string>;
}
