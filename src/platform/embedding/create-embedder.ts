// Creates the embedder of the installation: the built-in one, or a remote one that the configuration names.
import type { SafeHttp } from '../outbound/safe-http.ts';
import type { Embedder } from './embedder.ts';
import { createRemoteEmbedder, type RemoteModel } from './remote-embedder.ts';
import { createWordEmbedder } from './word-embedder.ts';

/** `remote`: null for the built-in one. */
export function createEmbedder(remote: RemoteModel | null, http: SafeHttp): Embedder {
  return remote ? createRemoteEmbedder(remote, http) : createWordEmbedder();
}
