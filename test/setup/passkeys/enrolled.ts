// People with passkeys in tests: enrolled over HTTP, confirmed by another person or after the delay.
import { canonicalize, type JsonObject } from '@assay/json';
import { type Owner, assertOk, PASSWORD } from '../personas.ts';
import type { Answer, TestApp } from '../start-app.ts';
import { Passkey, type PasskeyOptions } from './authenticator.ts';

type Person = Pick<Owner, 'token'>;

export const callCredentials = (
  app: TestApp,
  { token }: Person,
  { path = '', method = 'POST', body }: { path?: string; method?: string; body?: object } = {},
): Promise<Answer> =>
  app.call(method, `/api/v1/auth/credentials${path}`, { token, ...(body && { body }) });

/** A passkey of the person, for the address of the app. */
export function createPasskey({ instance }: TestApp, more: PasskeyOptions = {}): Passkey {
  const { hostname, origin } = new URL(instance.platform.publicUrl);
  return new Passkey({ rpId: hostname, origin, ...more });
}

export async function beginPasskey(app: TestApp, person: Person) {
  const body = { password: PASSWORD };
  const answer = await callCredentials(app, person, { path: '/options', body });
  return assertOk(answer).body.data as { token: string; options: { challenge: string } };
}

/** Posts what the passkey answers to fresh options. */
export async function postPasskey(
  app: TestApp,
  person: Person,
  { passkey, given = {} }: { passkey: Passkey; given?: object },
): Promise<Answer> {
  const { token, options } = await beginPasskey(app, person);
  const { id, response } = passkey.register({ challenge: options.challenge, ...given });
  const { clientDataJSON, attestationObject } = response;
  const credential = { id, clientDataJSON, attestationObject };
  return callCredentials(app, person, { body: { token, name: 'Key', credential } });
}

export async function enrol(app: TestApp, person: Person, passkey = createPasskey(app)) {
  const { data } = assertOk(await postPasskey(app, person, { passkey })).body;
  return { passkey, id: data._id as string, data };
}

/** Another person signs over it. */
export async function confirm(
  app: TestApp,
  by: Person & { passkey: Passkey },
  id: string,
): Promise<Answer> {
  const waiting = await callCredentials(app, by, { path: '/waiting', method: 'GET' });
  const found = (assertOk(waiting).body.data as WaitingPasskey[]).find((each) => each._id === id);
  const signature = by.passkey.signText(canonicalize(found?.request.statement ?? {}));
  return callCredentials(app, by, { path: `/${id}/confirm`, body: { signature } });
}

interface WaitingPasskey {
  _id: string;
  request: { statement: JsonObject };
}
