// Where the values of an action come from: what the person wrote, or results of earlier decisions.
import type { OriginKeeper } from './options.ts';
import { OriginTracker } from './origins/origin-tracker.ts';

export { type Origins, OriginTracker, type Sources } from './origins/origin-tracker.ts';

/** Sessions whose values are known; that of the longest ago goes first. */
const SESSIONS_MAX = 100;

/**
 * Returns what a client takes as `origins`: each of its decisions then says where the values of its action were seen
 * before in the same session. Without `sessionId` all that the client does is one session, and what the person wrote is
 * what the call itself says.
 */
export function trackOrigins(): OriginKeeper {
  const sessions = new Map<string, OriginTracker>();

  function open(name: string): OriginTracker {
    const tracker = sessions.get(name) ?? new OriginTracker();
    sessions.delete(name);
    const [oldest] = sessions.keys();
    if (sessions.size >= SESSIONS_MAX) sessions.delete(oldest!);
    sessions.set(name, tracker);
    return tracker;
  }

  return {
    describe({ sessionId = '', prompt = '', prompts = [prompt] }, action) {
      const tracker = open(sessionId);
      if (sessionId === '') tracker.forgetPrompts();
      for (const text of prompts) tracker.addPrompt(text);
      return tracker.describe(action);
    },
    addResult({ sessionId = '' }, traceId, result) {
      open(sessionId).addResult(traceId, result);
    },
  };
}
