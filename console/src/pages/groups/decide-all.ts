// Gives all that wait in a group one verdict, a part at a time, each bound to the action that was listed.
import { sendVerdict, type Verdict } from '../review/verdicts/send-verdicts.ts';
import type { Undecided } from '../review/verdicts/report-undecided.tsx';
import { BATCH, readWaiting } from './group-queries.ts';

export type GroupVerdict = Pick<Verdict, 'decision' | 'reason'>;

/** `onProgress` gets how many are decided. Returns what was left, with why. @throws ApiError */
export async function decideAll(
  group: string,
  verdict: GroupVerdict,
  onProgress: (done: number) => void,
): Promise<Undecided[]> {
  const left = new Map<string, Undecided>();
  let done = 0;
  for (;;) {
    const { data } = await readWaiting(group, BATCH);
    const items = data.filter(({ _id }) => !left.has(_id));
    if (items.length === 0) return [...left.values()];
    const { ids, reasons } = await sendVerdict(items, verdict);
    for (const item of items)
      if (!ids.has(item._id)) left.set(item._id, { item, error: reasons.get(item._id) });
    done += ids.size;
    onProgress(done);
  }
}
