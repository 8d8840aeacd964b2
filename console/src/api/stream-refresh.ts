// Reads queries again when the stream says that something has happened, and not more often than the limits of a user allow.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  type Decision,
  followStream,
  type ReviewChange,
  type StreamState,
} from '../parts/decision-stream.ts';

/** Requests that a page may make at once for events, and how soon each is given again: 30 in a quarter of an hour. */
const MOST_AT_ONCE = 20;
const GIVEN_EVERY_MS = 30_000;
/** Events that come together are one reason to read. */
const COLLECT_MS = 300;
/** While there is no stream. */
export const WITHOUT_STREAM_MS = 60_000;

let left = MOST_AT_ONCE;
let countedAt = Date.now();

/** Takes `cost` requests; returns after how long they may be made. */
export function takeRequests(cost: number, now = Date.now()): number {
  left = Math.min(MOST_AT_ONCE, left + (now - countedAt) / GIVEN_EVERY_MS) - cost;
  countedAt = now;
  return Math.max(COLLECT_MS, -left * GIVEN_EVERY_MS);
}

interface Refresh {
  /** First members of the key of the queries. */
  queryKey: readonly string[];
  /** Requests that reading them takes. */
  cost: number;
  /** Whether an event is a reason to read them. */
  isForDecision?: (decision: Decision) => boolean;
  isForReview?: (change: ReviewChange) => boolean;
  isEnabled?: boolean;
}

/** Returns the state of the stream; while it is not open, the page asks by itself now and then. */
export function useStreamRefresh(refresh: Refresh): StreamState {
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState>('connecting');
  const latest = useRef(refresh);
  useEffect(() => {
    latest.current = refresh;
  });
  const { isEnabled = true } = refresh;
  useEffect(() => {
    if (!isEnabled) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isFollowing = false;
    function ask(): void {
      timer ??= setTimeout(readAgain, takeRequests(latest.current.cost));
    }
    function readAgain(): void {
      const { queryKey } = latest.current;
      // A page of a list that is on its way would be given up, and nothing would ask for it again.
      const isReading = queries.isFetching({ queryKey }) > 0;
      timer = isReading ? setTimeout(readAgain, COLLECT_MS) : undefined;
      if (!isReading) void queries.invalidateQueries({ queryKey });
    }
    const leave = followStream({
      onState(next) {
        setState(next);
        // What happened since the page was read, and before the stream was open, is in no stream.
        if (next === 'open' && isFollowing) ask();
      },
      onDecision: (decision) => latest.current.isForDecision?.(decision) && ask(),
      onReview: (change) => latest.current.isForReview?.(change) && ask(),
    });
    isFollowing = true;
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [isEnabled, queries]);
  return state;
}
