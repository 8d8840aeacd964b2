// Ingestion beside trouble: the same load on an instance that has it and on one that does not.
import { beginReplay, waitUntilEnded } from './replay.ts';
import { runAbba, warmUp, type Group, type Outcome, type Sides } from '../pairs.ts';
import { computeMedian, type RowName } from '../rows.ts';
import { startDeadServer } from './servers.ts';
import type { Scene } from '../stage.ts';
import { openReaders, STREAMS_ENV, runSlowIngestion } from './streams.ts';
import { callApi, type Bench } from '../tenants.ts';

type Ending = () => Promise<void> | void;

interface Trouble {
  row: RowName;
  /** Starts the remote server, if there is one. */
  open?(): Promise<{ host: string; close(): Promise<void> }>;
  env(host: string): Readonly<Record<string, string>>;
  /** Runs before each block; the returned function ends the trouble. */
  begin(scene: Scene, host: string): Promise<Ending>;
}

const MAILS = 50;
const MANY = { connections: 64 };
let invited = 0;
const getFirst = ({ organizations }: Scene): Bench => organizations[0] as Bench;
const subscribed = new WeakSet<Scene>();

const receiver: Trouble = {
  row: 'beside-receiver',
  open: startDeadServer,
  env: (host) => ({ ASSAY_OUTBOUND_ALLOW: host }),
  async begin(scene, host) {
    const body = { url: `http://${host}/`, events: ['*'] };
    const { token } = getFirst(scene);
    if (!subscribed.has(scene)) await callApi(`${scene.url}/api/v1/webhooks`, { token, body });
    subscribed.add(scene);
    return () => undefined;
  },
};

const mail: Trouble = {
  row: 'beside-mail',
  open: startDeadServer,
  env: (host) => ({ SMTP_URL: `smtp://${host}`, ASSAY_LIMIT_INVITATIONS: '1000000' }),
  async begin(scene) {
    const { token } = getFirst(scene);
    for (let sent = 0; sent < MAILS; sent++) {
      const body = { email: `bench-${(invited += 1)}@example.com`, role: 'viewer' };
      await callApi(`${scene.url}/api/v1/team/invite`, { token, body });
    }
    return () => undefined;
  },
};

/** Event streams of an organisation with few events, beside one that ingests a lot. */
const streams: Trouble = {
  row: 'beside-streams',
  env: () => STREAMS_ENV,
  async begin(scene) {
    const follower = scene.organizations[1] as Bench;
    const readers = await openReaders(scene, follower);
    const stop = runSlowIngestion(scene, follower);
    return async () => {
      await stop();
      await readers.close();
    };
  },
};

const replay: Trouble = {
  row: 'beside-replay',
  env: () => ({}),
  async begin(scene) {
    const { token } = getFirst(scene);
    let running = await beginReplay(scene);
    let isDone = false;
    const replaying = (async () => {
      for (;;) {
        await waitUntilEnded(running, token).catch(() => 0);
        if (isDone) return;
        running = await beginReplay(scene);
      }
    })();
    return async () => {
      isDone = true;
      await callApi(`${running}/cancel`, { token }).catch(() => undefined);
      await replaying;
    };
  },
};

/** Short blocks of both sides of one pair, in turns: what else the machine does then meets both alike. */
const TURNS = 4;

/** p99 at half of the greatest rate, with and without: the medians of short blocks. */
function createGroup({ row, open, env, begin }: Trouble): Group {
  return {
    rows: [row],
    async measure(stage, { pairs }) {
      const other = await open?.();
      const host = other?.host ?? '';
      const troubled = await stage.openScene({ organizations: 2, env: env(host) });
      const calm = await stage.openScene({ organizations: 2 });
      const outcome: Outcome = { pairs: { [row]: [] } };
      const seconds = stage.span.seconds / 2;
      const span = { warmUp: seconds / 2, seconds };
      try {
        for (const scene of [troubled, calm]) await warmUp(() => scene.runIngestion(MANY));
        const rate = (await calm.runIngestion(MANY)).perSecond / 2;
        const runAtHalfRate = (scene: Scene) =>
          scene.runIngestion({ connections: 256, rate, span });
        for (let pair = 0; pair < pairs; pair++) {
          const turns: Sides[] = [];
          for (let turn = 0; turn < TURNS; turn++) {
            for (const scene of [troubled, calm]) await scene.settle();
            const sides = await runAbba(turn, {
              async a() {
                const end = await begin(troubled, host);
                const block = await runAtHalfRate(troubled);
                await end();
                return block;
              },
              b: () => runAtHalfRate(calm),
            });
            turns.push(sides);
            outcome.sides = sides;
          }
          const computeP99 = (side: 'a' | 'b'): number =>
            computeMedian(turns.map((sides) => sides[side].p99));
          outcome.pairs[row]?.push(computeP99('a') / computeP99('b'));
        }
        return outcome;
      } finally {
        await Promise.all([troubled.close(), calm.close()]);
        await other?.close();
      }
    },
  };
}

export const besideTrouble: readonly Group[] = [receiver, mail, streams, replay].map(createGroup);
