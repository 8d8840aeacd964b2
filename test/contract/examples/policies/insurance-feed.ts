// The month in counts, for an insurer.
import { objectId } from '../../../setup/harness.ts';
import { managers } from '../access.ts';
import { nothing, type ResourceExamples } from '../example.ts';

export const insuranceFeed: ResourceExamples = {
  access: {
    'GET /api/v1/policies/insurance-feed': managers,
    // The foreigner's organisation has not opted in.
    'POST /api/v1/policies/insurance-feed': { ...managers, foreigner: 'FORBIDDEN' },
  },
  examples: {
    'GET /api/v1/policies/insurance-feed': nothing,
    'POST /api/v1/policies/insurance-feed': async ({ harness, owner }) => {
      const optIn = { $set: { 'insuranceFeed.enabled': true } };
      const _id = objectId(owner.organizationId);
      await harness.db.collection('organizations').updateOne({ _id }, optIn);
      return {};
    },
  },
};
