// The largest exports of usual exporters: answered before they give up, without holding up anyone.
// @module-tag long
import { expect, test } from 'vitest';
import { useOwnHarness } from '../../setup/fixtures.ts';
import { assertOk, createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { buildExport, buildToolSpan } from '../../setup/otlp/exports.ts';
import { sendExport } from './sending.ts';

const { app } = useOwnHarness();

const SPANS = 512;
const NOTE = 'The parcel came broken, and she asks for her money back. ';

/** Spans of seven kilobytes, in the order in which they began. */
const buildSpans = (): object[] =>
  Array.from({ length: SPANS }, (_, index) =>
    buildToolSpan(
      {
        'gen_ai.tool.call.arguments': JSON.stringify({
          order: index,
          note: NOTE.repeat(40),
          rows: Array.from({ length: 20 }, (__, row) => ({
            row,
            text: `${NOTE}${row}`,
            mail: `customer-${row}@example.com`,
          })),
        }),
        'gen_ai.input.messages': JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: NOTE.repeat(40) }] },
        ]),
      },
      { startTimeUnixNano: String(1_764_000_000_000_000_000n + BigInt(index) * 1_000_000n) },
    ),
  );

/** The largest share of the processor time that the process takes between two turns of the event loop. */
function watchTurns(): () => number {
  const read = (): number => process.cpuUsage().user;
  const begun = read();
  let [last, most, isOver] = [begun, 0, false];
  const turn = (): void => {
    const now = read();
    most = Math.max(most, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return most / (read() - begun);
  };
}

test('512 spans of 3.6 MB are recorded in their order, in pieces that let others be served', async () => {
  const ada = await createOwner(app);
  const { key } = await createWorkspaceKey(app, ada);
  assertOk(await sendExport(app, key, buildExport(buildToolSpan())));
  const raw = JSON.stringify(buildExport(...buildSpans()));
  const endWatch = watchTurns();
  const answer = await app.call('POST', '/v1/traces', { key, raw });
  const largestShare = endWatch();
  expect([answer.status, answer.body]).toEqual([200, {}]);
  const path = '/api/v1/traces?limit=100&page=2';
  const { data, total } = assertOk(await app.call('GET', path, { token: ada.token })).body;
  expect(total).toBe(SPANS + 1);
  const orders = data.map(
    (each: { outputDecision: { action: { arguments: { order: number } } } }) =>
      each.outputDecision.action.arguments.order,
  );
  expect(orders).toEqual(Array.from({ length: 100 }, (_, index) => SPANS - 101 - index));
  // A piece is a small part of the whole on any machine; threads of the process take some of it at the same time.
  expect(largestShare).toBeLessThan(0.06);
});
