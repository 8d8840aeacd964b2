// Follows standing grants: each use is one that was given, with these terms, not beyond its number and not after its end.
import type { Shown } from '../disclosures.ts';
import type { Entry } from '../layout.ts';
import { type Members, toMembers } from '../text.ts';
import type { View } from '../view.ts';
import { readShown } from './places.ts';

/** A grant that the document gives. */
interface Given {
  sequence: number;
  view: View;
}

/** Grants that are followed; of those beyond nothing is known, and nothing is said. */
const GRANTS_MAX = 100_000;

/** The grants of a document. What was used before its first entry is not known, so a number is never too large. */
export class Grants {
  private readonly first: number;
  private readonly given = new Map<string, Given>();
  private readonly ended = new Set<string>();
  private readonly uses = new Map<string, number>();
  /** Whether some are not followed. */
  private isPartial = false;

  constructor(first: number) {
    this.first = first;
  }

  /** Adds the next entry; returns its fault, or null. */
  addEntry(
    { sequence, createdAt }: Pick<Entry, 'sequence' | 'createdAt'>,
    view: View,
    shown: ReadonlyMap<string, Shown>,
  ): string | null {
    if (view.kind === 'grant') return this.addGrant(sequence, view);
    const grant = readGrant(shown);
    if (grant === null || this.uses.size >= GRANTS_MAX) return null;
    const id = String(grant['id']);
    const uses = (this.uses.get(id) ?? 0) + 1;
    this.uses.set(id, uses);
    return this.findFault(view, grant) ?? this.findEnd({ id, uses, createdAt }, grant);
  }

  private addGrant(sequence: number, view: View): string | null {
    const id = String(view.grantId);
    const isGiven = view.status === 'granted';
    const isKnown = this.given.has(id) || this.ended.has(id);
    if (isGiven && isKnown) return 'it gives a grant a second time';
    if (!isGiven && this.ended.has(id)) return 'it ends a grant a second time';
    if (this.given.size + this.ended.size >= GRANTS_MAX) {
      this.isPartial = true;
      return null;
    }
    if (isGiven) this.given.set(id, { sequence, view });
    else this.ended.add(id);
    return isGiven || !this.given.has(id) ? null : findOtherTerms(this.given.get(id)!.view, view);
  }

  private findFault(view: View, grant: Members): string | null {
    if (view.kind !== 'trace' || view.status !== 'approved')
      return 'it uses a grant and is not approved';
    const given = this.given.get(String(grant['id']));
    const at = Number(grant['sequence']);
    if (!given) return at < this.first || this.isPartial ? null : 'it uses a grant that is none';
    if (given.sequence !== at) return 'it uses a grant that is none';
    const { agent, workspaceId } = given.view;
    if (agent !== view.agent || workspaceId !== view.workspaceId)
      return 'it uses the grant of another agent or workspace';
    return findOtherTerms(given.view, grant);
  }

  private findEnd(
    { id, uses, createdAt }: { id: string; uses: number; createdAt: string },
    grant: Members,
  ): string | null {
    if (this.ended.has(id)) return 'it uses a grant that has ended';
    if (createdAt >= String(grant['until'])) return 'it uses a grant after its time';
    return uses > Number(grant['uses']) ? 'it uses a grant more often than it was given for' : null;
  }
}

const findOtherTerms = (given: View, other: View | Members): string | null =>
  given.uses === other['uses'] &&
  given.until === other['until'] &&
  given.toolDigest === other['toolDigest']
    ? null
    : 'it names a grant with other terms';

/** The grant that `state` names; null: none, or it is not shown. */
function readGrant(shown: ReadonlyMap<string, Shown>): Members | null {
  const { grant = null } = toMembers(readShown(shown, 'state'));
  return grant === null ? null : toMembers(grant);
}
