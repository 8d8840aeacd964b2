// Who acts by a run token: the workload that was known, and on whose behalf it acts, as this service verified it.
import type { PrincipalFacts } from '@assay/policy';
import type { Grant } from './grant.ts';

/** Whom an agent acts for. */
export interface ChainMember {
  /** `user` or `agent`. */
  type: string;
  id: string;
  /** Who knows the subject by this id. */
  issuer: string;
}

/** What is sealed with each decision of a run token (docs/reference/formats.md). */
export interface Principal {
  /** On whose behalf: the nearest first. Empty: the agent acts for itself. */
  chain: ChainMember[];
  /** The workload as its own issuer names it. */
  workload: { issuer: string; subject: string };
  /** The id of the trust by which it was known. */
  trust: string;
  /** Null: everything that its agent may do. */
  grant: Grant | null;
  /** Hex SHA-256 of the workload's own token. */
  tokenDigest: string;
}

/** The longest chain: as many subjects as a decision may name. */
export const CHAIN_MAX = 10;

/** The ids of the users for whom it acts, whose halts bind it. */
export const listPersons = (principal: Principal | undefined): string[] =>
  principal?.chain.filter(({ type }) => type === 'user').map(({ id }) => id) ?? [];

export const toPrincipalFacts = ({ chain }: Principal): PrincipalFacts => ({
  verified: true,
  human: chain.at(-1)?.type === 'user',
  depth: chain.length,
});
