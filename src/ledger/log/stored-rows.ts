// What rows of logs and checkpoints hold when nothing but this service has written them: a row with anything else is altered.
import type { Types } from 'mongoose';
import { parseVerifierKey, parseSignatureLine, verifyCosignature } from '@assay/tlog';
import { toCiphertext } from '../contents/contents.ts';
import { isObjectId } from '../ledger.model.ts';

type Check = (value: unknown) => boolean;
export type Checks = Readonly<Record<string, Check>>;
type Row = Readonly<Record<string, unknown>>;

const isText: Check = (value) => typeof value === 'string';
const isDate: Check = (value) => value instanceof Date && !Number.isNaN(value.getTime());
const isBytes: Check = (value) => toCiphertext(value) !== null;
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isOrdinal: Check = (value) => isCount(value) && value !== 0;
/** A member that the first stores did not have. */
const isAbsentOr =
  (check: Check): Check =>
  (value) =>
    value === null || value === undefined || check(value);
export const hasMembers =
  (checks: Checks): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(checks).every(([name, check]) => check((value as Row)[name]));

/** A row of `logs`. */
export const isLogRow = hasMembers({
  _id: isText,
  organizationId: isObjectId,
  chain: isText,
  generation: isOrdinal,
  origin: isText,
  createdAt: isDate,
  size: isCount,
  root: isText,
  head: isText,
  headId: isAbsentOr(isObjectId),
  sealedAt: isAbsentOr(isDate),
  levels: (value) => Array.isArray(value) && value.every(isBytes),
  witnessedSize: isCount,
  stampedSize: isAbsentOr(isCount),
  stampedAt: isAbsentOr(isDate),
  frozen: isAbsentOr(hasMembers({ at: isDate, why: isText })),
});

const isSignature = hasMembers({ witness: isText, line: isText, at: isDate });

/** The members of a row of `log_heads`. */
export const TREE_HEAD_MEMBERS: Checks = {
  _id: isObjectId,
  organizationId: isObjectId,
  logId: isText,
  size: isOrdinal,
  root: isText,
  note: isText,
  at: isDate,
  headsIndex: isAbsentOr(isCount),
  cosignatures: (value) => Array.isArray(value) && value.every(isSignature),
  stamp: isAbsentOr(
    hasMembers({ token: isBytes, issuer: isText, issuedAt: isDate, serial: isText }),
  ),
};
export const isTreeHeadRow = hasMembers(TREE_HEAD_MEMBERS);

/** The members of a row of `heads_leaves`. */
export const LEAF_MEMBERS: Checks = { _id: isCount, data: isBytes, headId: isObjectId };

/** Returns whether a stored value is this id. */
export const isSameId = (value: unknown, id: Types.ObjectId): boolean =>
  isObjectId(value) && value.equals(id);

/** Returns whether the stored signature of a witness is one of the text, at the time that is stored. */
export function isCosignature(cosignature: unknown, text: string): boolean {
  const { witness, line, at } = (cosignature ?? {}) as Row;
  if (typeof witness !== 'string' || typeof line !== 'string' || !(at instanceof Date))
    return false;
  const key = parseVerifierKey(witness);
  const signature = parseSignatureLine(line);
  const seconds = key && signature && verifyCosignature(text, signature, key);
  return seconds !== null && at.getTime() === seconds * 1000;
}
