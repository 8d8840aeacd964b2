// A form of something stored: keeps what was typed when that is read again, and remembers what others changed.
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

/** A field that others have changed while this form had changes of its own. */
export interface FieldChange {
  field: string;
  before: unknown;
  now: unknown;
  /** What this form has; the same as `now` where it was not touched here. */
  mine: unknown;
}

export interface StoredForm<Values> extends UseFormReturnType<Values> {
  changes: readonly FieldChange[];
  /** Drops what was typed. */
  takeTheirs: () => void;
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Give the form to `useChange`: what a person types while it is saved then stays, too. */
export function useStoredForm<Values extends object>(stored: Values): StoredForm<Values> {
  const form = useForm<Values>({ initialValues: stored });
  const text = JSON.stringify(stored);
  const known = useRef(text);
  /** What this form knows to be stored: what was read, and what it has saved itself. */
  const base = useRef<Values>(stored);
  const [changes, setChanges] = useState<readonly FieldChange[]>([]);
  const follow = useEffectEvent((): void => {
    if (form.isDirty()) setChanges((noted) => mergeChanges(noted, findChanges(base.current)));
    base.current = stored;
    const unchanged = Object.entries(stored).filter(([field]) => !form.isDirty(field));
    form.setInitialValues(stored);
    form.setValues(Object.fromEntries(unchanged) as Partial<Values>);
    form.resetDirty(stored);
  });
  useEffect(() => {
    if (known.current === text) return;
    known.current = text;
    follow();
  }, [text]);

  function findChanges(before: Values): FieldChange[] {
    const names = Object.keys(stored) as (keyof Values & string)[];
    return names
      .filter((field) => !isSame(before[field], stored[field]))
      .map((field) => {
        const mine = form.isDirty(field) ? form.values[field] : stored[field];
        return { field, before: before[field], now: stored[field], mine };
      })
      .filter(({ now, mine, field }) => !isSame(now, mine) || !form.isDirty(field));
  }

  return {
    ...form,
    changes,
    resetDirty(saved) {
      base.current = { ...base.current, ...saved };
      setChanges([]);
      form.resetDirty(saved);
    },
    reset() {
      setChanges([]);
      form.reset();
    },
    takeTheirs() {
      setChanges([]);
      form.setValues(stored);
      form.resetDirty(stored);
    },
  };
}

/** A later change of a field keeps what it was when the form was opened. */
function mergeChanges(
  noted: readonly FieldChange[],
  found: readonly FieldChange[],
): readonly FieldChange[] {
  const merged = new Map(noted.map((change) => [change.field, change]));
  for (const change of found)
    merged.set(change.field, {
      ...change,
      before: merged.get(change.field)?.before ?? change.before,
    });
  return [...merged.values()];
}
