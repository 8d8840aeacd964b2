// Halts an agent, and lets it go on with a second person, as people do while its code runs.
import { beforeAll } from 'vitest';
import { createMember, type Harness } from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';

export function useHalts(harness: Harness, owner: Owner) {
  const { app } = harness;
  let admin: Owner;
  beforeAll(async () => {
    admin = await createMember(harness, owner, 'admin');
  });
  const resume = (id: string, body: object, { token }: Owner) =>
    app.call('POST', `/api/v1/halts/${id}/resume`, { token, body });

  return {
    /** The token of the second person. */
    readSecondToken: (): string => admin.token,
    /** Halts an agent and returns the id of the halt. */
    async halt(target: string, more: object = {}): Promise<string> {
      const body = { scope: 'agent', target, reason: 'It pays twice', ...more };
      const { data } = assertOk(
        await app.call('POST', '/api/v1/halts', { token: owner.token, body }),
      ).body;
      return data.id;
    },
    /** Two people let it go on. */
    async letGoOn(id: string): Promise<void> {
      const asked = assertOk(await resume(id, { to: 'resumed' }, owner)).body.data;
      const { digest } = asked.resumption;
      assertOk(await resume(id, { to: 'resumed', confirm: digest }, admin));
    },
  };
}
