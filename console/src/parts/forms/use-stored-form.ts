// A form of something stored: what was typed stays when it is read again, and the other fields follow what is stored.
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useEffect, useRef } from 'react';

/** Give the form to `useChange`: what a person types while it is saved then stays, too. */
export function useStoredForm<Values extends object>(stored: Values): UseFormReturnType<Values> {
  const form = useForm<Values>({ initialValues: stored });
  const text = JSON.stringify(stored);
  const known = useRef(text);
  useEffect(() => {
    if (known.current === text) return;
    known.current = text;
    const unchanged = Object.entries(stored).filter(([field]) => !form.isDirty(field));
    form.setInitialValues(stored);
    form.setValues(Object.fromEntries(unchanged) as Partial<Values>);
    form.resetDirty(stored);
  });
  return form;
}
