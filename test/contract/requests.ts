// Sends an example unchanged or with replaced inputs.
import type { Answer, Call } from '../setup/start-app.ts';
import type { Sample } from './examples/example.ts';
import type { Tenant } from './tenant.ts';

export type Credentials = Pick<Call, 'token' | 'key'>;

/** Selects the credentials for an operation: the owner's session, or the directory's token. */
export function selectCredentials({ owner, scimToken }: Tenant, operation: string): Credentials {
  return { token: operation.includes(' /scim/') ? scimToken : owner.token };
}

/** Encodes a form like a browser. */
export const toForm = (form: Record<string, string>): Pick<Call, 'raw' | 'headers'> => ({
  raw: new URLSearchParams(form).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

/** A token that the tenant's owner mints replaces the tenant's. */
export async function sendSample(
  tenant: Tenant,
  operation: string,
  { sample, ...call }: Call & { sample: Sample },
): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ');
  const { params = {}, query, body, form } = sample;
  const address = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? name);
  const search = query ? `?${new URLSearchParams(query).toString()}` : '';
  const answer = await tenant.harness.app.call(method, address + search, {
    ...(body && { body }),
    ...(form && toForm(form)),
    ...call,
  });
  const minted = path.endsWith('/scim-token') && answer.status === 201;
  if (minted && call.token === tenant.owner.token)
    tenant.scimToken = answer.body.data.token as string;
  return answer;
}
