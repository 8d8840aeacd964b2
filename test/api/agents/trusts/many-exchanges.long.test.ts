// A thousand exchanges at once: each gets its own token, and the issuer is asked for its keys once.
// @module-tag long
import { expect, test } from 'vitest';
import { assertOk } from '../../../setup/personas.ts';
import { useTrustStage } from './trust-stage.ts';

const stage = useTrustStage();
const { harness, claim, createTrustingAgent, exchangeJwt } = stage;
const MANY = 1000;

test('a thousand exchanges at once, and the same token again a thousand times', async () => {
  const { realm, agent, trustId } = await createTrustingAgent();
  const began = performance.now();
  const answers = await Promise.all(
    Array.from({ length: MANY }, () => exchangeJwt(agent.id, realm.sign(claim(realm)))),
  );
  const took = performance.now() - began;
  const tokens = answers.map((answer) => assertOk(answer).body.access_token as string);
  expect(new Set(tokens).size).toBe(MANY);
  expect(realm.asked).toEqual({ 'openid-configuration': 1, jwks: 1 });
  console.log(`${MANY} exchanges in ${Math.round(took)} ms`);
  const same = realm.sign(claim(realm));
  const again = await Promise.all(Array.from({ length: MANY }, () => exchangeJwt(agent.id, same)));
  expect(again.filter(({ status }) => status === 200)).toHaveLength(1);
  const kept = harness.db.collection('run_tokens');
  expect(await kept.countDocuments({ 'principal.trust': trustId })).toBe(MANY + 1);
});
