// A stage for agents without keys: an issuer of tokens that is served, an agent, its trust, and the exchange.
import { generateHex } from '../../../../src/platform/ids.ts';
import { useFixture, useHarness, useOwner } from '../../../setup/fixtures.ts';
import { assertOk, createAgent, type Owner } from '../../../setup/personas.ts';
import {
  type Claims,
  type Realm,
  startHandmadeProvider,
} from '../../../setup/providers/identity-provider.ts';
import { MovedClock } from '../../../setup/second-factor.ts';
import type { Answer } from '../../../setup/start-app.ts';

export const ASSAY = 'https://assay.example';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const JWT = 'urn:ietf:params:oauth:token-type:jwt';
export const ACCESS = 'urn:ietf:params:oauth:token-type:access_token';
export const SUBJECT = 'repo:octo-org/octo-repo:environment:production';

/** Call it once in a file: it starts and stops everything by itself. */
export function useTrustStage() {
  const clock = new MovedClock();
  const provider = useFixture(startHandmadeProvider, (started) => started.stop());
  const harness = useHarness(
    { ASSAY_OUTBOUND_ALLOW: '127.0.0.1', ASSAY_PUBLIC_URL: ASSAY },
    { clock },
  );
  const { app } = harness;
  const ada = useOwner(harness);

  const getNow = (): number => Math.floor(clock.now().getTime() / 1000);

  const createTrust = (agentId: string, body: object, { token }: Owner = ada): Promise<Answer> =>
    app.call('POST', `/api/v1/agents/${agentId}/trusts`, { token, body });

  /** Claims that an honest issuer would state. */
  const claim = (realm: Realm, more: Claims = {}): Claims => {
    const now = getNow();
    const times = { iat: now, nbf: now, exp: now + 300 };
    return { iss: realm.issuer, aud: ASSAY, sub: SUBJECT, jti: generateHex(12), ...times, ...more };
  };

  const exchange = (form: Record<string, string>): Promise<Answer> =>
    app.call('POST', '/api/v1/auth/token', {
      raw: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  const exchangeJwt = (
    agentId: string,
    token: string,
    more: Record<string, string> = {},
  ): Promise<Answer> =>
    exchange({
      grant_type: GRANT_TYPE,
      audience: agentId,
      subject_token: token,
      subject_token_type: JWT,
      ...more,
    });

  /** An agent that workloads of a new issuer may act as. */
  async function createTrustingAgent(trust: object = {}, owner: Owner = ada) {
    const realm = provider.createRealm();
    const agent = await createAgent(app, owner);
    const body = { issuer: realm.issuer, subject: SUBJECT, ...trust };
    const trustId = assertOk(await createTrust(agent.id, body, owner)).body.data._id as string;
    return { realm, agent, trustId };
  }

  /** A run token of a workload that is as its trust asks. */
  async function run(
    { realm, agent }: { realm: Realm; agent: { id: string } },
    more: Record<string, string> = {},
  ): Promise<string> {
    const answer = await exchangeJwt(agent.id, realm.sign(claim(realm)), more);
    return assertOk(answer).body.access_token as string;
  }

  return {
    app,
    harness,
    ada,
    clock,
    provider,
    getNow,
    createTrust,
    claim,
    exchange,
    exchangeJwt,
    createTrustingAgent,
    run,
  };
}

/** The status of an exchange, and its error or its kind of token. */
export const toExchanged = ({ status, body }: Answer): [number, unknown] => [
  status,
  body.error ?? body.token_type,
];
