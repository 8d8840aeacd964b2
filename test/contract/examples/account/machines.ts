// Messages of machines that share a key with the installation.
import { everybody, refuseAll } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

export const machines: ResourceExamples = {
  // None of the callers can sign like a machine.
  access: {
    'POST /api/v1/witness/gossip': refuseAll(everybody, 'WITNESS_AUTH_FAILED'),
    'POST /api/v1/witness/add-checkpoint': refuseAll(everybody, 'VALIDATION_ERROR'),
    'GET /api/v1/witness/:originHash/checkpoint': refuseAll(everybody, 'NOT_FOUND'),
    'POST /api/v1/partner/insurance-pull': refuseAll(everybody, 'TOKEN_VERIFICATION_FAILED'),
  },
  examples: {
    'POST /api/v1/witness/gossip': ({ owner, mark }) => ({
      body: {
        payload: {
          organizationId: owner.organizationId,
          sequence: 1,
          chainHash: '0'.repeat(64),
          timestamp: new Date().toISOString(),
        },
        signature: '0'.repeat(64),
        keyId: `${mark} key`,
      },
    }),
    'POST /api/v1/witness/add-checkpoint': () => ({ body: {} }),
    'GET /api/v1/witness/:originHash/checkpoint': () => ({
      params: { originHash: '0'.repeat(64) },
    }),
    'POST /api/v1/partner/insurance-pull': ({ owner, mark }) => ({
      body: {
        payload: {
          organizationId: owner.organizationId,
          timestamp: new Date().toISOString(),
        },
        signature: '0'.repeat(64),
        keyId: `${mark} key`,
      },
    }),
  },
  refused: {
    'POST /api/v1/witness/gossip': 401,
    'POST /api/v1/witness/add-checkpoint': 400,
    'GET /api/v1/witness/:originHash/checkpoint': 404,
    'POST /api/v1/partner/insurance-pull': 401,
  },
};
