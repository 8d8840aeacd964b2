// Notes which verdicts are under way, so that one which a page could not send any more is not lost without a word.
import { notifications } from '@mantine/notifications';
import { keepInBrowser, readKept } from '../../../session/browser-storage.ts';
import { UNSENT_VERDICTS as NAME } from '../../../session/unsent.ts';
import { readOutcome } from './send-verdicts.ts';

interface Noted {
  userId: string;
  id: string;
  /** When it has arrived, or never will. */
  until: number;
}

const MOST_NOTED = 200;

function readNoted(): Noted[] {
  try {
    const noted: unknown = JSON.parse(readKept(NAME) ?? '[]');
    return Array.isArray(noted) ? (noted as Noted[]) : [];
  } catch {
    return [];
  }
}

function change(ids: ReadonlySet<string>, added: readonly Noted[]): void {
  const noted = [...readNoted().filter(({ id }) => !ids.has(id)), ...added].slice(-MOST_NOTED);
  keepInBrowser(NAME, noted.length === 0 ? null : JSON.stringify(noted));
}

export const noteUnsent = (userId: string, ids: readonly string[], until: number): void =>
  change(
    new Set(ids),
    ids.map((id) => ({ userId, id, until })),
  );

export const forgetUnsent = (ids: readonly string[]): void => change(new Set(ids), []);

/** Looks at what an earlier page left behind, and says which of it was not decided. */
export async function reportUnsent(userId: string): Promise<void> {
  const mine = readNoted().filter((noted) => noted.userId === userId);
  const later = mine.filter(({ until }) => until > Date.now());
  if (later.length > 0) {
    const first = Math.min(...later.map(({ until }) => until));
    setTimeout(() => void reportUnsent(userId), Math.min(first - Date.now() + 1, 2 ** 31 - 1));
  }
  const due = mine.filter(({ until }) => until <= Date.now()).map(({ id }) => id);
  if (due.length === 0) return;
  forgetUnsent(due);
  const found = await Promise.all(due.map(readOutcome));
  const count = found.filter((item) => item?.status === 'pending').length;
  if (count === 0) return;
  notifications.show({
    color: 'red',
    title: count === 1 ? 'A verdict was not sent' : `${count} verdicts were not sent`,
    message:
      'The page closed, or your session ended, before the service had them. Their decisions wait in the review queue.',
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Close' },
  });
}
