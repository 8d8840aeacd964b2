// Passkeys: enrolled by a software authenticator; no one but their person can sign with them.
import { PASSWORD } from '../../../setup/personas.ts';
import { beginPasskey, createPasskey, enrol } from '../../../setup/passkeys/enrolled.ts';
import type { Tenant } from '../../tenant.ts';
import {
  denyForeigner,
  everybody,
  refuseAll,
  reviewers,
  signedIn,
  type Verdict,
} from '../access.ts';
import { sendNothing, type ResourceExamples } from '../example.ts';

const SIGNATURE = {
  credentialId: 'bm90IGVucm9sbGVk',
  clientDataJSON: 'e30',
  authenticatorData: 'bm9uZQ',
  signature: 'bm9uZQ',
};

/** Whose passkey it is not. */
const others = (verdict: Verdict) => ({
  admin: verdict,
  reviewer: verdict,
  member: verdict,
  viewer: verdict,
  auditor: verdict,
  foreigner: verdict,
});

/** Of the owner; those of earlier examples are gone, since a person has a few at most. */
async function createOwn({ harness, owner }: Tenant): Promise<string> {
  await forgetPasskeys({ harness });
  return (await enrol(harness.app, owner)).id;
}

async function forgetPasskeys({ harness }: Pick<Tenant, 'harness'>): Promise<void> {
  await harness.db.collection('passkeys').deleteMany({});
}

export const passkeys: ResourceExamples = {
  access: {
    'GET /api/v1/auth/credentials': signedIn,
    'POST /api/v1/auth/credentials/options': signedIn,
    // With the options of the owner.
    'POST /api/v1/auth/credentials': { ...signedIn, ...others('INVALID_TOKEN') },
    'GET /api/v1/auth/credentials/waiting': reviewers,
    // Of the owner, which another person confirms, with a passkey that counts.
    'POST /api/v1/auth/credentials/:id/confirm': denyForeigner({
      ...refuseAll(reviewers, 'FORBIDDEN'),
      admin: 'SIGNATURE_INVALID',
      reviewer: 'SIGNATURE_INVALID',
    }),
    'PATCH /api/v1/auth/credentials/:id': { ...signedIn, ...others('NOT_FOUND') },
    'DELETE /api/v1/auth/credentials/:id': { ...signedIn, ...others('NOT_FOUND'), admin: 'ok' },
    'POST /api/v1/auth/credentials/login-options': everybody,
    'POST /api/v1/auth/credentials/login': refuseAll(everybody, 'INVALID_TOKEN'),
  },
  examples: {
    'GET /api/v1/auth/credentials': sendNothing,
    'POST /api/v1/auth/credentials/options': () => ({ body: { password: PASSWORD } }),
    'POST /api/v1/auth/credentials': async ({ harness, mark, owner }) => {
      await forgetPasskeys({ harness });
      const { token: begun, options } = await beginPasskey(harness.app, owner);
      const { id, response } = createPasskey(harness.app).register(options);
      const { clientDataJSON, attestationObject } = response;
      const credential = { id, clientDataJSON, attestationObject };
      return { body: { token: begun, name: `${mark} key`, credential } };
    },
    'GET /api/v1/auth/credentials/waiting': sendNothing,
    'POST /api/v1/auth/credentials/:id/confirm': async (tenant) => ({
      params: { id: await createOwn(tenant) },
      body: { signature: SIGNATURE },
    }),
    'PATCH /api/v1/auth/credentials/:id': async (tenant) => ({
      params: { id: await createOwn(tenant) },
      body: { name: `${tenant.mark} renamed` },
    }),
    'DELETE /api/v1/auth/credentials/:id': async (tenant) => ({
      params: { id: await createOwn(tenant) },
      body: { reason: `${tenant.mark} reason` },
    }),
    'POST /api/v1/auth/credentials/login-options': sendNothing,
    'POST /api/v1/auth/credentials/login': () => ({
      body: { token: 'f'.repeat(64), signature: SIGNATURE },
    }),
  },
  refused: {
    'POST /api/v1/auth/credentials/:id/confirm': 403,
    'POST /api/v1/auth/credentials/login': 400,
  },
};
