// Policies as rule-language source.
import { managers, ofOne, readers, readersInPerson } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

const source = (mark: string): string =>
  `policy "${mark} written" when outputDecision.action == "${mark} wipe" then flag_for_review`;

export const policyLanguage: ResourceExamples = {
  access: {
    'POST /api/v1/policies/from-adl': ofOne(managers),
    'POST /api/v1/policies/_new/validate-adl': readersInPerson,
    'POST /api/v1/policies/:id/validate-adl': ofOne(readersInPerson),
    'GET /api/v1/policies/:id/adl': ofOne({ ...readers, auditor: 'ok' }),
  },
  examples: {
    'POST /api/v1/policies/from-adl': ({ mark, workspaceId }) => ({
      body: { adl: source(mark), name: `${mark} named`, workspaceId },
    }),
    'POST /api/v1/policies/_new/validate-adl': ({ mark }) => ({ body: { adl: source(mark) } }),
    'POST /api/v1/policies/:id/validate-adl': ({ mark, policyId }) => ({
      params: { id: policyId },
      body: { adl: source(mark) },
    }),
    'GET /api/v1/policies/:id/adl': ({ policyId }) => ({ params: { id: policyId } }),
  },
};
