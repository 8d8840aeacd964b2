// Errors of JSON-RPC and of the Agent Control Standard (section 17).
import type { JsonObject } from '@assay/json';

export const RPC = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  version: -32001,
  notNegotiated: -32003,
  signature: -32004,
  replay: -32005,
  timestamp: -32006,
} as const;

export class RpcError extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }

  toJson(): JsonObject {
    return { code: this.code, message: this.message, ...(this.data && { data: this.data }) };
  }
}
