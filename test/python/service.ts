// A service for the tests in Python: an organisation with its policies, and time that a test lets pass.
import { expireDueReviews } from '../../src/decisions/traces/review/review-expiry.service.ts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll } from 'vitest';
import { useHalts } from '../sdk/typescript/halt-stage.ts';
import { useGuards } from '../sdk/typescript/sdk-stage.ts';
import { useFixture, useHarness, useOwner } from '../setup/fixtures.ts';
import { MovedClock } from '../setup/second-factor.ts';

const SOON_S = 60;

/** Returns what a person does, and what the tests find in their environment once the service has started. */
export function usePythonService() {
  const clock = new MovedClock();
  const harness = useHarness({}, { clock });
  const ada = useOwner(harness);
  const guards = useGuards(harness, ada);
  const { agent, createPolicy } = guards;
  const { readSecondToken } = useHalts(harness, ada);
  beforeAll(async () => {
    await createPolicy('Once', 'ship', { type: 'approve', config: { singleUse: true } });
    await createPolicy('Loans', 'lend', {
      type: 'flag_for_review',
      config: { expiresIn: SOON_S },
    });
  });
  const time = useFixture(
    async () => {
      const server = createServer((_, answer) => {
        clock.aheadMs += (SOON_S + 1) * 1000;
        void expireDueReviews(harness.app.instance.platform).then(() => answer.end());
      });
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
    },
    ({ server }) => server.close(),
  );
  const readEnvironment = (): Record<string, string> => ({
    ASSAY_TEST_URL: harness.app.url,
    ASSAY_TEST_TOKEN: ada.token,
    ASSAY_TEST_SECOND_TOKEN: readSecondToken(),
    ASSAY_TEST_KEY: agent.key,
    ASSAY_TEST_AGENT: agent.id,
    ASSAY_TEST_TIME: time.url,
  });
  return { ...guards, readEnvironment };
}
