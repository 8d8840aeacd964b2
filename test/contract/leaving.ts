// Callers who leave before their answer is complete: the operations that are tried, and what must hold afterwards.
import { expect, vi } from 'vitest';
import { createOwner, type Owner } from '../setup/personas.ts';
import { disconnectAfter, LEAVING_DELAYS } from '../setup/leaving.ts';
import { sendRequest } from '../setup/start-app.ts';
import { createPolicyBody } from './bodies.ts';
import { examples } from './examples/all.ts';
import { mounted } from './mounted.ts';
import { createDecision } from './records.ts';
import { selectCredentials } from './requests.ts';
import { callAsOwner, type Tenant } from './tenant.ts';

/** Operations that answer with a file, a stream or a long body, by declaration, so that new ones are included. */
export const longAnswers: readonly string[] = [...mounted]
  .filter(([, { route }]) => route.kind === 'file' || route.kind === 'stream' || route.heavy)
  .map(([operation]) => operation);

/** Each operation at each delay; the delays of the next one begin a step later, so that a sample has all of them. */
export const departures: readonly (readonly [operation: string, afterMs: number])[] =
  longAnswers.flatMap((operation, at) =>
    LEAVING_DELAYS.map(
      (_, step) =>
        [operation, LEAVING_DELAYS[(at + step) % LEAVING_DELAYS.length] as number] as const,
    ),
  );

/** Fills an organisation so that answers take a while. */
export async function fillTenant(
  tenant: Tenant,
  { policies, decisions }: { policies: number; decisions: number },
): Promise<void> {
  const conditions = Array.from({ length: 40 }, (_, at) => ({
    field: 'outputDecision.action',
    operator: 'equals',
    value: `${at} ${'unlikely '.repeat(60)}`,
  }));
  for (let count = 0; count < policies; count++)
    await callAsOwner(tenant, 'POST /api/v1/policies', {
      ...createPolicyBody(`${tenant.mark} ${count}`),
      conditions,
    });
  for (let count = 0; count < decisions; count++) await createDecision(tenant);
}

/** Milliseconds of another organisation's answers: just after a caller has left something, and otherwise. */
interface Waits {
  disturbed: number[];
  usual: number[];
}

/** Disconnects each caller at its delay. */
export async function disconnectAll(
  url: string,
  { tenant, other }: { tenant: Tenant; other: Owner },
  chosen: readonly (readonly [operation: string, afterMs: number])[],
): Promise<Waits> {
  const waits: Waits = { disturbed: [], usual: [] };
  for (const [operation, afterMs] of chosen) {
    await assertFreeSlot(url, tenant);
    waits.usual.push(await measureAnswer(url, other));
    const left = disconnectCaller(url, tenant, { operation, afterMs });
    waits.disturbed.push(await measureAnswer(url, other));
    await left;
  }
  await assertFreeSlot(url, tenant);
  return waits;
}

async function disconnectCaller(
  url: string,
  tenant: Tenant,
  { operation, afterMs }: { operation: string; afterMs: number },
): Promise<void> {
  const [method = '', path = ''] = operation.split(' ');
  const sample = await examples[operation]?.(tenant, tenant.owner.token);
  expect(sample, `an example of ${operation}`).toBeDefined();
  const { params = {}, query = {}, body } = sample ?? {};
  const address = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? name);
  const target = `${url}${address}?${new URLSearchParams(query).toString()}`;
  await disconnectAfter(afterMs, target, { method, ...selectCredentials(tenant, operation), body });
}

/** Asserts that the organisation's only slot for heavy answers is free again. */
async function assertFreeSlot(url: string, { owner: { token } }: Tenant): Promise<void> {
  await vi.waitFor(
    async () => {
      const { status, text } = await sendRequest(`${url}/api/v1/traces?limit=1`, 'GET', { token });
      expect(status, text).toBe(200);
    },
    { timeout: 30_000, interval: 5 },
  );
}

async function measureAnswer(url: string, { token }: Owner): Promise<number> {
  const asked = performance.now();
  const { status } = await sendRequest(`${url}/api/v1/agents`, 'GET', { token });
  expect(status).toBe(200);
  return performance.now() - asked;
}

const findPart = (waits: readonly number[], part: number): number =>
  waits.toSorted((a, b) => a - b)[Math.floor(waits.length * part)] ?? 0;

/** Asserts that nine of ten answers were quick, by what undisturbed ones take on this machine at this time. */
export function assertQuick({ disturbed, usual }: Waits): void {
  expect(findPart(disturbed, 0.9)).toBeLessThan(Math.max(200, 20 * findPart(usual, 0.5)));
}

export const createOther = (tenant: Tenant): Promise<Owner> =>
  createOwner(tenant.harness.app, 'Other');
