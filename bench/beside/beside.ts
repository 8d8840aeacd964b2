// Ingestion beside trouble: the same load on an instance that has it and on one that does not.
import { beginReplay, ended } from './replay.ts';
import { abba, warmUp, type Group, type Outcome, type Sides } from '../pairs.ts';
import { median, type RowName } from '../rows.ts';
import { deadServer } from './servers.ts';
import type { Scene } from '../stage.ts';
import { openReaders, STREAMS_ENV, tellSlowly } from './streams.ts';
import { call, type Bench } from '../tenants.ts';

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
const first = ({ organizations }: Scene): Bench => organizations[0] as Bench;
const subscribed = new WeakSet<Scene>();

const receiver: Trouble = {
  row: 'beside-receiver',
  open: deadServer,
  env: (host) => ({ ASSAY_OUTBOUND_ALLOW: host }),
  async begin(scene, host) {
    const body = { url: `http://${host}/`, events: ['*'] };
    const { token } = first(scene);
    if (!subscribed.has(scene)) await call(`${scene.url}/api/v1/webhooks`, { token, body });
    subscribed.add(scene);
    return () => undefined;
  },
};

const mail: Trouble = {
  row: 'beside-mail',
  open: deadServer,
  env: (host) => ({ SMTP_URL: `smtp://${host}`, ASSAY_LIMIT_INVITATIONS: '1000000' }),
  async begin(scene) {
    const { token } = first(scene);
    for (let sent = 0; sent < MAILS; sent++) {
      const body = { email: `bench-${(invited += 1)}@example.com`, role: 'viewer' };
      await call(`${scene.url}/api/v1/team/invite`, { token, body });
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
    const stop = tellSlowly(scene, follower);
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
    const { token } = first(scene);
    let running = await beginReplay(scene);
    let isDone = false;
    const replaying = (async () => {
      for (;;) {
        await ended(running, token).catch(() => 0);
        if (isDone) return;
        running = await beginReplay(scene);
      }
    })();
    return async () => {
      isDone = true;
      await call(`${running}/cancel`, { token }).catch(() => undefined);
      await replaying;
    };
  },
};

/** Short blocks of both sides of one pair, in turns: what else the machine does then meets both alike. */
const TURNS = 4;

/** p99 at half of the greatest rate, with and without: the medians of short blocks. */
function beside({ row, open, env, begin }: Trouble): Group {
  return {
    rows: [row],
    async measure(stage, { pairs }) {
      const other = await open?.();
      const host = other?.host ?? '';
      const troubled = await stage.scene({ organizations: 2, env: env(host) });
      const calm = await stage.scene({ organizations: 2 });
      const outcome: Outcome = { pairs: { [row]: [] } };
      const seconds = stage.span.seconds / 2;
      const span = { warmUp: seconds / 2, seconds };
      try {
        for (const scene of [troubled, calm]) await warmUp(() => scene.ingest(MANY));
        const rate = (await calm.ingest(MANY)).perSecond / 2;
        const atHalf = (scene: Scene) => scene.ingest({ connections: 256, rate, span });
        for (let pair = 0; pair < pairs; pair++) {
          const turns: Sides[] = [];
          for (let turn = 0; turn < TURNS; turn++) {
            for (const scene of [troubled, calm]) await scene.settle();
            const sides = await abba(turn, {
              async a() {
                const end = await begin(troubled, host);
                const block = await atHalf(troubled);
                await end();
                return block;
              },
              b: () => atHalf(calm),
            });
            turns.push(sides);
            outcome.sides = sides;
          }
          const p99 = (side: 'a' | 'b'): number => median(turns.map((sides) => sides[side].p99));
          outcome.pairs[row]?.push(p99('a') / p99('b'));
        }
        return outcome;
      } finally {
        await Promise.all([troubled.close(), calm.close()]);
        await other?.close();
      }
    },
  };
}

export const besideTrouble: readonly Group[] = [receiver, mail, streams, replay].map(beside);
