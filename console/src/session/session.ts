// The session: who is signed in, what their role allows, how a token becomes the cookie, and how it ends.
import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { api, readData } from '../api/client.ts';
import { finishWork } from './before-leaving.ts';
import type { components } from '../api/schema.gen.d.ts';

export type Session = components['schemas']['Me'];
export type Role = Session['role'];

const KNOWN = 'assay-session';

/** For this tab, until the person signs out. */
function rememberSession(session: Session): void {
  try {
    sessionStorage.setItem(KNOWN, JSON.stringify(session));
  } catch {
    // A browser that allows no storage keeps nothing.
  }
}

function readSession(): Session | null {
  try {
    return JSON.parse(sessionStorage.getItem(KNOWN) ?? 'null') as Session | null;
  } catch {
    return null;
  }
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => {
    try {
      const session = await readData(api.GET('/api/v1/auth/me'));
      rememberSession(session);
      return session;
    } catch (error) {
      const known = readSession();
      // Past the limit of requests a page that is loaded again keeps its frame.
      if (error instanceof ApiError && error.status === 429 && known) return known;
      throw error;
    }
  },
  staleTime: 60_000,
  retry: false,
});

/** The session of a signed-in page, whose route has loaded it. */
export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

const DECIDERS: readonly Role[] = ['owner', 'admin', 'reviewer'];
const WRITERS: readonly Role[] = [...DECIDERS, 'member'];
const MANAGERS: readonly Role[] = ['owner', 'admin'];
const AUDITORS: readonly Role[] = [...MANAGERS, 'auditor'];

/** What a role may do, as the service decides it: no button is shown that would be refused. */
export interface Rights {
  /** Decide held decisions. */
  mayDecide: boolean;
  /** Assign and escalate, change statuses. */
  mayWrite: boolean;
  /** Change policies, agents, keys, members. */
  mayManage: boolean;
  /** Read decisions, policies and the chain; auditors read what names them. */
  isReader: boolean;
  isOwner: boolean;
  /** Make or read audit bundles, and read the audit log. */
  mayAudit: boolean;
}

export function useRights(): Rights {
  const { role } = useSession();
  return {
    mayDecide: DECIDERS.includes(role),
    mayWrite: WRITERS.includes(role),
    mayManage: MANAGERS.includes(role),
    isReader: role !== 'auditor',
    isOwner: role === 'owner',
    mayAudit: AUDITORS.includes(role),
  };
}

/** Hands a session token to the service, which keeps it in a cookie that no script can read. @throws ApiError */
export async function keepSession(token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  await readData(api.POST('/console/session', { headers }));
}

/** Ends the session here and at the service. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await finishWork();
    await readData(api.POST('/api/v1/auth/logout')).catch((error: unknown) => {
      // It has ended already.
      if (!(error instanceof ApiError && error.status === 401)) throw error;
    });
    queries.clear();
    forgetUnsaved();
  };
}

/** What was written and not saved belongs to the person who wrote it. */
function forgetUnsaved(): void {
  try {
    sessionStorage.clear();
  } catch {
    // A browser that allows no storage has kept nothing.
  }
}
