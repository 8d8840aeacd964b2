// The name of the upstream server in every action: that of the client's configuration, else what it calls itself.
import { nameServer } from '../../../sdk-typescript/src/action-names.ts';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';

/** Where a result of the protocol's newer form names its server. */
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

export class ServerName {
  readonly #given: string | undefined;
  readonly #otherwise: string;
  #learned: string | undefined;

  /** `given`: as it is configured. `otherwise`: for a server that names itself nowhere. */
  constructor(given: string | undefined, otherwise: string) {
    this.#given = given;
    this.#otherwise = otherwise;
  }

  get isKnown(): boolean {
    return (this.#given ?? this.#learned) !== undefined;
  }

  get value(): string {
    return nameServer(this.#given ?? this.#learned ?? this.#otherwise);
  }

  /** Takes over what a server's answer calls itself, the first time. */
  learn({ result = null }: JsonObject): void {
    if (!isObject(result)) return;
    const meta = isObject(result._meta ?? null) ? (result._meta as JsonObject) : {};
    this.#learned ??= readName(result.serverInfo) ?? readName(meta[SERVER_INFO]);
  }
}

function readName(info: Json = null): string | undefined {
  const name = isObject(info) ? info.name : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
