// New decisions as they are sealed. A token opens one stream, so a lost connection is opened again here, from where it broke off.
import { useEffect, useRef, useState } from 'react';
import { api, readData } from '../api/client.ts';
import type { components } from '../api/schema.gen.d.ts';
import { reportEnd } from '../session/session-end.ts';

export type Decision = components['schemas']['Decision'];
export type StreamState = 'connecting' | 'open' | 'lost';

const LONGEST_REST_MS = 15_000;
/** Decisions are handed on together, so that a burst is drawn once. */
const COLLECT_MS = 200;

interface Stream {
  close: () => void;
}

interface StreamEvents {
  onDecision: (decision: Decision) => void;
  onState: (state: StreamState) => void;
}

export function openDecisionStream({ onDecision, onState }: StreamEvents): Stream {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastEventId = '';
  let failures = 0;
  let isClosed = false;

  function retryLater(): void {
    source?.close();
    if (isClosed) return;
    onState('lost');
    const rest = Math.min(LONGEST_REST_MS, 500 * 2 ** failures++);
    timer = setTimeout(() => void connect(), rest * (0.75 + Math.random() / 2));
  }

  async function connect(): Promise<void> {
    try {
      const { streamToken } = await readData(api.POST('/api/v1/auth/stream-token'));
      if (isClosed) return;
      const query = new URLSearchParams({ stream_token: streamToken });
      if (lastEventId !== '') query.set('lastEventId', lastEventId);
      source = new EventSource(`/api/v1/traces/stream?${query}`);
    } catch (error) {
      reportEnd(error);
      return retryLater();
    }
    source.addEventListener('open', () => {
      failures = 0;
      onState('open');
    });
    source.addEventListener('trace', (event: MessageEvent<string>) => {
      lastEventId = event.lastEventId;
      onDecision(JSON.parse(event.data) as Decision);
    });
    source.addEventListener('error', retryLater);
  }

  onState('connecting');
  void connect();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      source?.close();
    },
  };
}

/** Calls `onDecisions` with what arrived, the newest first, while the component is shown. */
export function useDecisionStream(onDecisions: (decisions: Decision[]) => void): StreamState {
  const [state, setState] = useState<StreamState>('connecting');
  const handler = useRef(onDecisions);
  useEffect(() => {
    handler.current = onDecisions;
  });
  useEffect(() => {
    let waiting: Decision[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    function passOn(): void {
      timer = undefined;
      handler.current(waiting);
      waiting = [];
    }
    const stream = openDecisionStream({
      onState: setState,
      onDecision(decision) {
        waiting = [decision, ...waiting];
        timer ??= setTimeout(passOn, COLLECT_MS);
      },
    });
    return () => {
      clearTimeout(timer);
      stream.close();
    };
  }, []);
  return state;
}
