// What is written into an assessment: kept in this tab with each key, and saved as one goes.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { type Assessment, createAssessmentQuery, type Risk } from './assessment-texts.ts';

type Change = components['schemas']['AssessmentChange'];
/** The answers as the fields hold them. */
export type Answers = Pick<
  Assessment,
  | 'systemName'
  | 'purpose'
  | 'affectedPersons'
  | 'usageContext'
  | 'durationOfUse'
  | 'identifiedRisks'
  | 'humanOversightSummary'
  | 'complaintsMechanism'
>;
type Name = keyof Answers;
type Written = Partial<Answers>;

/** After such a pause in writing, it is saved. */
const QUIET_MS = 1500;

export interface AssessmentDraft {
  answers: Answers;
  write: <N extends Name>(name: N, value: Answers[N]) => void;
  /** Saves what is not saved yet; resolves when nothing is left that can be. */
  saveDraft: () => Promise<void>;
  state: 'saved' | 'changed' | 'saving';
  error: Error | null;
}

const isNamed = ({ title }: Risk): boolean => title.trim() !== '';

/** What the service takes: neither a system nor a risk without a name. */
function selectSavable({ systemName, identifiedRisks, ...texts }: Written): Change {
  return {
    ...texts,
    ...(systemName?.trim() && { systemName }),
    ...(identifiedRisks?.every(isNamed) && { identifiedRisks }),
  };
}

function readKept(place: string): Written {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? '{}') as Written;
  } catch {
    return {};
  }
}

function keepWritten(place: string, written: Written): void {
  try {
    if (Object.keys(written).length === 0) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(written));
  } catch {
    // Without storage it is saved all the same, a moment later.
  }
}

/** `isEditable`: false where nothing is written, and what an earlier visit left is not saved. */
export function useAssessmentDraft(assessment: Assessment, isEditable: boolean): AssessmentDraft {
  const { _id: id } = assessment;
  const place = `assay-assessment-${id}`;
  const queries = useQueryClient();
  const written = useRef<Written>(null);
  written.current ??= isEditable ? readKept(place) : {};
  const [, setVersion] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const running = useRef<Promise<void>>(Promise.resolve());
  const send = useMutation({
    mutationFn: (body: Change) =>
      readData(api.PATCH('/api/v1/fria/{id}', { params: { path: { id } }, body })),
  });

  function setWritten(next: Written): void {
    written.current = next;
    keepWritten(place, next);
    setVersion((version) => version + 1);
  }

  async function saveOnce(): Promise<void> {
    const body = selectSavable(written.current ?? {});
    if (Object.keys(body).length === 0) return;
    queries.setQueryData(createAssessmentQuery(id).queryKey, await send.mutateAsync(body));
    // What was written during the request stays to be saved.
    const sent: Written = body as Written;
    const left = Object.entries(written.current ?? {}).filter(
      ([name, value]) => sent[name as Name] !== value,
    );
    setWritten(Object.fromEntries(left));
    await queries.invalidateQueries({ queryKey: ['assessments', 'list'] });
  }

  /** One after the other: a slow save must not overwrite a later one. */
  function saveDraft(): Promise<void> {
    clearTimeout(timer.current);
    running.current = running.current.catch(() => undefined).then(saveOnce);
    return running.current;
  }
  const saveLatest = useRef(saveDraft);
  saveLatest.current = saveDraft;

  useEffect(() => {
    const isLeft = Object.keys(written.current ?? {}).length > 0;
    if (isLeft) void saveLatest.current().catch(() => undefined);
    return () => void saveLatest.current().catch(() => undefined);
  }, []);

  return {
    answers: { ...assessment, ...written.current },
    write(name, value) {
      setWritten({ ...written.current, [name]: value });
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void saveLatest.current().catch(() => undefined), QUIET_MS);
    },
    saveDraft,
    state: describeState(send.isPending, written.current),
    error: send.error,
  };
}

function describeState(isPending: boolean, written: Written): AssessmentDraft['state'] {
  if (isPending) return 'saving';
  return Object.keys(written).length > 0 ? 'changed' : 'saved';
}
