// Verdicts are final, so each waits five seconds before it is sent, and can be taken back until then.
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { describeRemedy, ApiError } from '../../api/api-error.ts';
import { CONSOLE_HEADERS } from '../../api/client.ts';
import type { ReviewItem } from './review-queries.ts';

export interface Verdict {
  decision: 'approve' | 'reject';
  reason?: string;
  /** With an approval: a merge patch of the action, or its new text. */
  edits?: Record<string, unknown> | string;
}

interface Waiting {
  item: ReviewItem;
  verdict: Verdict;
  timer: ReturnType<typeof setTimeout>;
}

export const UNDO_MS = 5000;

/** Sends with `keepalive`, so that it arrives although the page is closed. @throws ApiError */
async function sendVerdict({ _id, actionDigest }: ReviewItem, verdict: Verdict): Promise<void> {
  // The digest of the action that was on screen: another one in its place decides nothing.
  const body = { ...verdict, ...(actionDigest !== null && { actionDigest }) };
  const response = await fetch(`/api/v1/review-queue/${_id}/decision`, {
    method: 'POST',
    keepalive: true,
    headers: { ...CONSOLE_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw ApiError.fromNetwork(cause);
  });
  if (!response.ok) throw ApiError.fromAnswer(response, await response.json().catch(() => null));
}

function reportFailure(item: ReviewItem, error: unknown): void {
  const requestId = error instanceof ApiError ? error.requestId : null;
  const message = error instanceof Error ? error.message : String(error);
  notifications.show({
    color: 'red',
    title: `Not decided: ${item.agentIdStr}`,
    message: `${message}. ${describeRemedy(error)}${requestId === null ? '' : ` (request ${requestId})`}`,
    autoClose: false,
  });
}

export interface PendingVerdicts {
  /** Ids of items with a verdict that is not sent yet, or under way. */
  ids: ReadonlySet<string>;
  decide: (item: ReviewItem, verdict: Verdict) => void;
  /** Takes back the newest verdict that waits; returns its item. */
  takeBack: () => ReviewItem | null;
}

export function usePendingVerdicts(): PendingVerdicts {
  const queries = useQueryClient();
  const waiting = useRef<Waiting[]>([]);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());

  /** Ids whose verdicts have arrived, and whose items the list may still hold. */
  const arrived = useRef<string[]>([]);

  const hide = (id: string): void => setIds((known) => new Set([...known, id]));
  const show = (...shown: readonly string[]): void =>
    setIds((known) => new Set([...known].filter((id) => !shown.includes(id))));

  /** Reads the list again, which then says itself what waits. */
  async function refresh(): Promise<void> {
    const ids = arrived.current;
    arrived.current = [];
    await queries.invalidateQueries({ queryKey: ['review'] });
    show(...ids);
  }

  async function send(entry: Waiting): Promise<void> {
    clearTimeout(entry.timer);
    waiting.current = waiting.current.filter((other) => other !== entry);
    let isSent = true;
    try {
      await sendVerdict(entry.item, entry.verdict);
    } catch (error) {
      isSent = false;
      reportFailure(entry.item, error);
    }
    arrived.current.push(entry.item._id);
    await queries.invalidateQueries({ queryKey: ['decisions', 'one', entry.item.traceId] });
    // The last of several verdicts in a row refreshes the list.
    if (!isSent || waiting.current.length === 0) await refresh();
  }

  const sendAll = useRef((): void => undefined);
  useEffect(() => {
    sendAll.current = () => {
      for (const entry of waiting.current) void send(entry);
    };
  });
  useEffect(() => {
    const flush = (): void => sendAll.current();
    addEventListener('pagehide', flush);
    return () => {
      removeEventListener('pagehide', flush);
      flush();
    };
  }, []);

  return {
    ids,
    decide(item, verdict) {
      hide(item._id);
      const entry: Waiting = { item, verdict, timer: setTimeout(() => void send(entry), UNDO_MS) };
      waiting.current.push(entry);
    },
    takeBack() {
      const entry = waiting.current.pop();
      if (!entry) return null;
      clearTimeout(entry.timer);
      show(entry.item._id);
      return entry.item;
    },
  };
}
