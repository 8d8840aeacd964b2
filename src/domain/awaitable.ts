// What is known already, or the promise of it: who waits for what is known pays for promises and turns of the event loop (row ingest/R1).

export type Awaitable<T> = T | Promise<T>;

/** `use` of a value: at once where it is known. */
export function whenKnown<T, U>(
  value: Awaitable<T>,
  use: (value: T) => Awaitable<U>,
): Awaitable<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** What `work` gives; what it throws is a rejection, so that nothing that others wait for is left unheard. */
function attempted<T>(work: () => Awaitable<T>): Awaitable<T> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

type Known<W extends readonly (() => unknown)[]> = {
  -readonly [I in keyof W]: W[I] extends () => infer T ? Awaited<T> : never;
};

/** What several of them give: side by side where they wait, at once where all is known. */
export function allKnown<W extends readonly (() => Awaitable<unknown>)[]>(
  works: W,
): Awaitable<Known<W>> {
  const values = works.map(attempted);
  const isKnown = !values.some((value) => value instanceof Promise);
  return (isKnown ? values : Promise.all(values)) as Awaitable<Known<W>>;
}
