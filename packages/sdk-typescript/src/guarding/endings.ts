// When a call is over: a value at once, a generator or stream after its last step. What is left before its end is unknown.
import type { Outcome } from '../service.ts';

/** What becomes of a call whose result came before its end. */
export interface Follower {
  /** Runs one step, in the context of the call. */
  run: <T>(step: () => T) => T;
  /** It ended; `error` is what it failed with. */
  end: (outcome: Outcome['outcome'] | { error: unknown }) => Promise<void>;
}

type Step = 'next' | 'return' | 'throw';
type Source = Record<Step | symbol, ((...given: unknown[]) => unknown) | undefined>;
interface NodeStream {
  once(event: 'close', listener: () => void): void;
  closed?: boolean;
  errored?: unknown;
  readableEnded?: boolean;
  writableFinished?: boolean;
}

/**
 * Returns the result, followed to its end, if it is a generator, an iterator, a stream or another async iterable; undefined
 * for what is over.
 */
export function followResult(result: unknown, follower: Follower): unknown {
  if (typeof result !== 'object' || result === null) return undefined;
  if (result instanceof ReadableStream && !result.locked) return followStream(result, follower);
  if ('pipe' in result && 'once' in result) return followNodeStream(result, follower);
  const isIterator =
    Symbol.iterator in result && typeof (result as { next?: unknown }).next === 'function';
  if (!isIterator && !(Symbol.asyncIterator in result)) return undefined;
  return followSource(result as unknown as Source, once(follower));
}

/** Runs an async generator whose call is claimed at its first step. */
export async function* runLazily(begin: () => Promise<unknown>): AsyncGenerator<unknown, unknown> {
  return yield* (await begin()) as AsyncGenerator<unknown, unknown>;
}

function followSource(source: Source, follower: Follower): unknown {
  const takeStep = (name: Step, given: unknown[]): unknown => {
    const judge = (step: unknown): Promise<void> | undefined => {
      if ((step as IteratorResult<unknown>).done !== true) return undefined;
      return follower.end(name === 'next' ? 'succeeded' : 'unknown');
    };
    try {
      const step = follower.run(() => source[name]!(...given));
      if (!isPromiseLike(step)) {
        void judge(step);
        return step;
      }
      return finishStep(step, judge);
    } catch (error) {
      void follower.end({ error });
      throw error;
    }
  };
  const finishStep = async (
    step: PromiseLike<unknown>,
    judge: (step: unknown) => Promise<void> | undefined,
  ): Promise<unknown> => {
    let done: unknown;
    try {
      done = await step;
    } catch (error) {
      await follower.end({ error });
      throw error;
    }
    await judge(done);
    return done;
  };
  const followed: object = new Proxy(source, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function') return value;
      if (member === 'next' || member === 'return' || member === 'throw')
        return (...given: unknown[]) => takeStep(member, given);
      if (member === Symbol.iterator || member === Symbol.asyncIterator)
        return () => {
          const iterator = follower.run(() => target[member]!()) as Source;
          return iterator === target ? followed : followSource(iterator, follower);
        };
      if (member === Symbol.asyncDispose) return async () => takeStep('return', []);
      return value.bind(target) as unknown;
    },
  });
  return followed;
}

function followStream(stream: ReadableStream, follower: Follower): ReadableStream {
  const reader = stream.getReader();
  const { end, run } = once(follower);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await run(() => reader.read());
        if (!done) return controller.enqueue(value);
        await end('succeeded');
        controller.close();
      } catch (error) {
        await end({ error });
        controller.error(error);
      }
    },
    async cancel(reason) {
      await end('unknown');
      await reader.cancel(reason);
    },
  });
}

/** A stream of Node.js says itself how it ended, once it is closed. */
function followNodeStream(stream: object, { end }: Follower): object {
  const node = stream as NodeStream;
  const close = (): void => {
    if (node.errored) void end({ error: node.errored });
    else void end(node.readableEnded || node.writableFinished ? 'succeeded' : 'unknown');
  };
  if (node.closed) close();
  else node.once('close', close);
  return stream;
}

function once({ run, end }: Follower): Follower {
  let isOver = false;
  return {
    run,
    async end(outcome) {
      if (isOver) return;
      isOver = true;
      await end(outcome);
    },
  };
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { then?: unknown }).then === 'function';
