// The kinds of requests that must not cost more as the history grows, and what one of each costs.
import type { Block } from '../processes.ts';
import type { Scene } from '../stage.ts';
import { callApi } from '../tenants.ts';

interface Kind {
  name: string;
  /** Below `/api/v1`; `from`: the first of the newest thousand sequences. */
  path(from: number): string;
}

const NEWEST = 1_000;
/** Figure of a request that takes the database longer than five seconds. */
const REFUSED = '400';
const searchFor = (query: string): string => `traces?search=${encodeURIComponent(query)}&limit=50`;

const kinds: readonly Kind[] = [
  { name: 'newest 50 of the list', path: () => 'traces?limit=50' },
  { name: '50 held ones', path: () => 'traces?status=flagged&limit=50' },
  {
    name: 'a page of 50 in the middle',
    path: (from) => `traces?limit=50&page=${Math.ceil(from / 100)}`,
  },
  { name: 'search for a word of every seventh decision', path: () => searchFor('customer') },
  {
    name: 'search in vain for a phrase of frequent words',
    path: () => searchFor('"the customer the customer"'),
  },
  { name: 'search for a word that does not occur', path: () => searchFor('zanzibar') },
  { name: 'entries whose hash begins so', path: () => 'hash-chain/entries?search=abcdef01' },
  { name: 'status of the chain', path: () => 'hash-chain/status' },
  { name: 'newest 1,000 exported', path: (from) => `hash-chain/export?fromSequence=${from}` },
];

/** Formats the cost of one kind of request: milliseconds (p50), CPU microseconds of Node and of mongod. */
export interface Figure {
  name: string;
  text: string;
}

export async function measureKinds(scene: Scene, stored: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, path } of kinds) {
    const url = `/api/v1/${path(Math.max(1, stored - NEWEST + 1))}`;
    const block = await scene.runRequest(url, ['200', REFUSED]);
    figures.push({ name, text: REFUSED in block.statuses ? 'refused' : formatFigure(block) });
  }
  return [...figures, await measureVerification(scene)];
}

export function formatFigure({ operations, seconds, p50, cpuUs }: Block): string {
  if (operations === 0) return `over ${seconds} s`;
  return `${p50.toPrecision(3)} ms, ${Math.round(cpuUs.node ?? 0)} + ${Math.round(cpuUs.mongod ?? 0)} us`;
}

/** Measures the verification of new entries, per entry. */
async function measureVerification(scene: Scene): Promise<Figure> {
  const { url, organizations } = scene;
  const [{ token } = { token: '' }] = organizations;
  const verify = (): Promise<unknown> =>
    callApi(`${url}/api/v1/hash-chain/verify?since=verified`, { token });
  await verify();
  const before = await scene.countDecisions();
  await scene.runIngestion({ connections: 64 });
  const appended = (await scene.countDecisions()) - before;
  await scene.settle();
  const start = performance.now();
  await verify();
  const us = ((performance.now() - start) * 1000) / appended;
  return { name: 'verification since the last one, an entry', text: `${us.toFixed(0)} us` };
}
