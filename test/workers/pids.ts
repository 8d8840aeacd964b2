// Reads from the log which processes have served as workers.

interface Logging {
  output(): string;
}

/** The processes that have listened, newest last, by worker. */
export function pidsOf({ output }: Logging): Map<number, number[]> {
  const pids = new Map<number, number[]>();
  for (const [, worker, pid] of output().matchAll(
    /"worker":(\d+),"pid":(\d+),"msg":"a worker listens"/g,
  ))
    pids.set(Number(worker), [...(pids.get(Number(worker)) ?? []), Number(pid)]);
  return pids;
}

export const allPidsOf = (logging: Logging): number[] => [...pidsOf(logging).values()].flat();
