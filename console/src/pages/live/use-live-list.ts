// The list of the live page: what the service finds, what the stream brings, and what waits while the list is read.
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { type Decision, type StreamState, useDecisionStream } from '../../parts/decision-stream.ts';
import type { TraceFilters } from '../../parts/search/trace-filters.ts';
import { createLiveQuery, isListed, mergeDecisions } from './live-query.ts';

/** Decisions of the stream that are kept; a tab may be open for days. */
const ARRIVED_MAX = 10_000;
/** Chart and search line are taller. */
const SCROLLED_PX = 300;

/** Who has scrolled into the list keeps the rows that are there. */
const isReadingOn = (): boolean => window.scrollY > SCROLLED_PX;

const arrivedAt = new WeakMap<Decision, number>();

/** What the stream brings: shown at once, or held back until the list goes on. */
function useArrivals() {
  const [isPaused, setPaused] = useState(false);
  const [held, setHeld] = useState<Decision[]>([]);
  const [arrived, setArrived] = useState<Decision[]>([]);
  const state = useDecisionStream((some) => {
    for (const decision of some) arrivedAt.set(decision, Date.now());
    const keep = isPaused || isReadingOn() ? setHeld : setArrived;
    keep((earlier) => [...some, ...earlier].slice(0, ARRIVED_MAX));
  });
  function resume(): void {
    setArrived((earlier) => [...held, ...earlier].slice(0, ARRIVED_MAX));
    setHeld([]);
    setPaused(false);
  }
  return { state, isPaused, pause: () => setPaused(true), resume, held, arrived };
}

/** Reads the list once more when the stream is open: what was sealed before is in no stream. */
function useReadAgain(state: StreamState, isReady: boolean): void {
  const queries = useQueryClient();
  const mayLack = useRef(true);
  useEffect(() => {
    if (state !== 'open') mayLack.current = true;
    if (state !== 'open' || !isReady || !mayLack.current) return;
    mayLack.current = false;
    void queries.invalidateQueries({ queryKey: ['decisions', 'live'] });
  }, [state, isReady, queries]);
}

const pickListed = (some: readonly Decision[], filters: TraceFilters | null): Decision[] =>
  filters ? some.filter((decision) => isListed(decision, filters) === true) : [];

/**
 * `filters` null: what is searched is not known yet, or cannot be. `unsearched`: how many came since, of which the
 * service alone can tell whether they belong to the list.
 */
export function useLiveList(filters: TraceFilters | null) {
  const list = useInfiniteQuery(createLiveQuery(filters));
  const { held, arrived, ...arrivals } = useArrivals();
  useReadAgain(arrivals.state, list.isSuccess && !arrivals.isPaused);
  const decisions = useMemo(() => {
    const shown = pickListed(arrived, filters);
    return mergeDecisions(shown, list.data?.pages ?? []);
  }, [arrived, filters, list.data]);
  // The stream brings some that the list has already.
  const heldHere = useMemo(
    () =>
      mergeDecisions(pickListed(held, filters), [{ data: decisions }]).length - decisions.length,
    [held, decisions, filters],
  );
  const { dataUpdatedAt } = list;
  const unsearched = useMemo(
    () =>
      [...held, ...arrived].filter(
        (decision) =>
          filters !== null &&
          (arrivedAt.get(decision) ?? 0) > dataUpdatedAt &&
          isListed(decision, filters) === null,
      ).length,
    [held, arrived, filters, dataUpdatedAt],
  );
  return { list, decisions, heldHere, unsearched, ...arrivals };
}
