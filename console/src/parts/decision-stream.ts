// What happens to decisions as it happens: one stream for all that a page shows, closed while no one looks at it.
// A token opens one stream, so a lost connection is opened again here, from where it broke off.
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, getWorkspace, readData } from '../api/client.ts';
import type { components } from '../api/schema.gen.d.ts';
import { reportEnd } from '../session/session-end.ts';

export type Decision = components['schemas']['Decision'];
export type StreamState = 'connecting' | 'open' | 'lost';

/** What became of a held decision, or who has it now. */
export interface ReviewChange {
  change: 'approved' | 'rejected' | 'expired' | 'withdrawn' | 'voted' | 'assigned' | 'escalated';
  traceId: string;
  reviewId: string | null;
  workspaceId: string;
}

/** A way back costs two requests, so a service that stays away is asked once a minute. */
const LONGEST_REST_MS = 60_000;
/** Decisions are handed on together, so that a burst is drawn once. */
const COLLECT_MS = 200;
/** Browsers allow an origin six connections: a page that no one sees, or that was left, gives its own back. */
const LINGER_MS = 5000;

export interface StreamListener {
  onDecision?: (decision: Decision) => void;
  onReview?: (change: ReviewChange) => void;
  onState?: (state: StreamState) => void;
}

const listeners = new Set<StreamListener>();
let state: StreamState = 'connecting';
let source: EventSource | null = null;
/** Connects again, or closes. */
let timer: ReturnType<typeof setTimeout> | undefined;
/** Of the connection under way; an earlier one has nothing to say any more. */
let attempt = 0;
let isOn = false;
let lastEventId = '';
let failures = 0;

function setState(next: StreamState): void {
  state = next;
  for (const { onState } of listeners) onState?.(next);
}

function retryLater(leastMs = 0): void {
  source?.close();
  setState('lost');
  const rest = Math.min(LONGEST_REST_MS, 500 * 2 ** failures++);
  clearTimeout(timer);
  timer = setTimeout(() => void connect(), Math.max(leastMs, rest * (0.75 + Math.random() / 2)));
}

async function connect(): Promise<void> {
  attempt += 1;
  const mine = attempt;
  try {
    const { streamToken } = await readData(api.POST('/api/v1/auth/stream-token'));
    if (mine !== attempt) return;
    const query = new URLSearchParams({ stream_token: streamToken });
    if (lastEventId !== '') query.set('lastEventId', lastEventId);
    listen(new EventSource(`/api/v1/traces/stream?${query}`));
  } catch (error) {
    if (mine !== attempt) return;
    reportEnd(error);
    // A role that reads no decisions will not read them in a minute either.
    if (error instanceof ApiError && error.status === 403) return setState('lost');
    retryLater(error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);
  }
}

/** The stream is of all workspaces that the person sees. */
const isShown = ({ workspaceId }: { workspaceId: string }): boolean =>
  [null, workspaceId].includes(getWorkspace());

function listen(opened: EventSource): void {
  source = opened;
  opened.addEventListener('open', () => {
    failures = 0;
    setState('open');
  });
  opened.addEventListener('trace', (event: MessageEvent<string>) => {
    lastEventId = event.lastEventId;
    const decision = JSON.parse(event.data) as Decision;
    if (isShown(decision)) for (const { onDecision } of listeners) onDecision?.(decision);
  });
  opened.addEventListener('review', (event: MessageEvent<string>) => {
    lastEventId = event.lastEventId || lastEventId;
    const change = JSON.parse(event.data) as ReviewChange;
    if (isShown(change)) for (const { onReview } of listeners) onReview?.(change);
  });
  opened.addEventListener('error', () => {
    if (source === opened) retryLater();
  });
}

/** Opens the stream, or closes it a little later, by whether a page listens and is looked at. */
function settle(): void {
  const isWanted = listeners.size > 0 && document.visibilityState === 'visible';
  clearTimeout(timer);
  if (!isWanted) {
    timer = setTimeout(close, LINGER_MS);
  } else if (!isOn) {
    isOn = true;
    failures = 0;
    setState('connecting');
    void connect();
  } else if (state === 'lost') retryLater();
}

function close(): void {
  isOn = false;
  // Pages read again what they show when it is opened again: hours of events are not sent after them.
  lastEventId = '';
  attempt += 1;
  source?.close();
  source = null;
  setState('connecting');
}
document.addEventListener('visibilitychange', settle);

/** Calls the listener until the returned function is called. */
export function followStream(listener: StreamListener): () => void {
  listeners.add(listener);
  listener.onState?.(state);
  settle();
  return () => {
    listeners.delete(listener);
    settle();
  };
}

/** Calls `onDecisions` with what arrived, the newest first, while the component is shown. */
export function useDecisionStream(onDecisions: (decisions: Decision[]) => void): StreamState {
  const [shown, setShown] = useState<StreamState>(state);
  const handler = useRef(onDecisions);
  useEffect(() => {
    handler.current = onDecisions;
  });
  useEffect(() => {
    let waiting: Decision[] = [];
    let passing: ReturnType<typeof setTimeout> | undefined;
    function passOn(): void {
      passing = undefined;
      handler.current(waiting);
      waiting = [];
    }
    const leave = followStream({
      onState: setShown,
      onDecision(decision) {
        waiting = [decision, ...waiting];
        passing ??= setTimeout(passOn, COLLECT_MS);
      },
    });
    return () => {
      clearTimeout(passing);
      leave();
    };
  }, []);
  return shown;
}
