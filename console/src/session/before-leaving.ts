// What has to be finished while the session still stands: signing out and changing the organisation wait for it.

const tasks = new Set<() => Promise<unknown>>();

/** Runs the task before the session is given up. */
export const finishBeforeLeaving = (task: () => Promise<unknown>): void => void tasks.add(task);

export async function finishWork(): Promise<void> {
  await Promise.allSettled([...tasks].map((task) => task()));
}
