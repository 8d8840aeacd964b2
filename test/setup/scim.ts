// A directory that provisions an organisation: its SCIM token, and requests with it.
import { generateHex } from '../../src/platform/ids.ts';
import { assertOk, type Owner } from './personas.ts';
import type { Answer, Call, TestApp } from './start-app.ts';

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export interface Directory {
  token: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** `call`, with whatever else is sent. */
  send(method: string, path: string, call: Call): Promise<Answer>;
  /** The id of a user who was just provisioned. */
  provision(more?: object): Promise<{ id: string; userName: string }>;
  patch(path: string, ...operations: object[]): Promise<Answer>;
}

export const createAddress = (): string => `u${generateHex(6)}@example.com`;

export async function createDirectory(app: TestApp, { token: owner }: Owner): Promise<Directory> {
  const minted = assertOk(
    await app.call('POST', '/api/v1/organization/scim-token', { token: owner }),
  );
  const token = minted.body.data.token as string;
  const send: Directory['send'] = (method, path, more) =>
    app.call(method, `/scim/v2${path}`, { token, ...more });
  const call: Directory['call'] = (method, path, body) =>
    send(
      method,
      path,
      body === undefined ? {} : { body, headers: { 'content-type': 'application/scim+json' } },
    );
  return {
    token,
    call,
    send,
    async provision(more = {}) {
      const { id, userName } = assertOk(
        await call('POST', '/Users', { schemas: [USER_URN], userName: createAddress(), ...more }),
      ).body;
      return { id, userName };
    },
    patch: (path, ...Operations) => call('PATCH', path, { schemas: [PATCH_URN], Operations }),
  };
}
