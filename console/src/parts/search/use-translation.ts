// What a search line asks the service for; names are looked up first, where it has some.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { policiesQuery, workspacesQuery } from '../../api/shared-queries.ts';
import type { SearchPart } from './search-line.ts';
import { isNamed, type Translation, translateParts } from './trace-filters.ts';

interface Named {
  _id: string;
  name: string;
}

/** Names in any case; of several that are alike the first counts. */
const toNames = (all: readonly Named[]): ReadonlyMap<string, string> =>
  new Map(
    all
      .toReversed()
      .flatMap(({ _id, name }) => [[name.toLowerCase(), _id] as const, [name, _id] as const]),
  );

/** `error`: why names could not be looked up. */
export function useTranslation(
  parts: readonly SearchPart[],
): Translation & { error: Error | null } {
  const toOptions = (field: 'policy' | 'workspace') => ({
    enabled: parts.some((part) => isNamed(part, field)),
  });
  const policies = useQuery({ ...policiesQuery, ...toOptions('policy') });
  const workspaces = useQuery({ ...workspacesQuery, ...toOptions('workspace') });
  const translation = useMemo(() => {
    const known = {
      policies: policies.data ? toNames(policies.data) : null,
      workspaces: workspaces.data ? toNames(workspaces.data) : null,
    };
    return translateParts(parts, known);
  }, [parts, policies.data, workspaces.data]);
  return { ...translation, error: policies.error ?? workspaces.error };
}
