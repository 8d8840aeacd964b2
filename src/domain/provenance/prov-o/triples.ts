// The provenance of decisions in W3C PROV-O: decisions are entities, invocations activities, and AI agents agents.
import { canonicalize } from '../../record/canonical-json.ts';
import { sha256Hex } from '../../record/chain.ts';
import type { Json } from '../../record/json.ts';

/** Prefixes of all names in use; identifiers of an organisation's records begin with `urn:assay:`. */
export const PREFIXES = {
  prov: 'http://www.w3.org/ns/prov#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  assay: 'urn:assay:ns#',
} as const;
type Prefix = keyof typeof PREFIXES;
export type Name = `${Prefix}:${string}`;

/** An IRI in full, or a literal with its type. */
export type Term = { iri: string } | { text: string; type: Name };
export interface Triple {
  subject: string;
  predicate: Name;
  object: Term;
}

/** The parts of a decision in its graph: already scrubbed, with the payload as digests only. */
export interface Provenance {
  organizationId: string;
  traceId: string;
  agentId: string;
  agentName: string | null;
  agentVersion: string | null;
  status: string;
  timestamp: Date;
  createdAt: Date;
  hashChain: { sequence: number; chainHash: string };
  inputContext: Json;
  outputDecision: Json;
  /** Ids of the policies that matched. */
  policyIds: readonly string[];
  reviews: readonly Review[];
}

/** A person's verdict on a decision. */
export interface Review {
  sequence: number;
  /** Null: not given by a user. */
  userId: string | null;
  decision: string;
  at: Date;
}

const MOST_PARENTS = 50;
const PARENT_CHARACTERS = 200;

const iri = (text: string): Term => ({ iri: text });
const name = (text: Name): Term => iri(expand(text));
const time = (at: Date): Term => ({ text: at.toISOString(), type: 'xsd:dateTime' });
const string = (text: string): Term => ({ text, type: 'xsd:string' });
const digestOf = (value: Json): Term => string(sha256Hex(canonicalize(value)));

/** The IRI that a prefixed name stands for. */
export function expand(prefixed: Name): string {
  const colon = prefixed.indexOf(':');
  return PREFIXES[prefixed.slice(0, colon) as Prefix] + prefixed.slice(colon + 1);
}

/** The graph of the decisions without duplicate triples. */
export function triplesOf(decisions: readonly Provenance[]): Triple[] {
  const triples = new Map<string, Triple>();
  for (const decision of decisions)
    for (const triple of [
      ...decisionTriples(decision),
      ...decision.reviews.flatMap((review) => reviewTriples(decision, review)),
    ])
      triples.set(JSON.stringify(triple), triple);
  return [...triples.values()];
}

function idOf({ organizationId }: Provenance, kind: string, id: string): string {
  return `urn:assay:${organizationId}:${kind}:${encodeURIComponent(id)}`;
}

/** `about(subject)` adds triples with that subject. */
function collector() {
  const triples: Triple[] = [];
  const about =
    (subject: string) =>
    (predicate: Name, ...objects: Term[]): void => {
      for (const object of objects) triples.push({ subject, predicate, object });
    };
  return { triples, about };
}

type About = ReturnType<typeof collector>['about'];

/** The identifiers of a decision's parts. */
function partsOf(decision: Provenance) {
  const trace = idOf(decision, 'trace', decision.traceId);
  const agent = idOf(decision, 'agent', decision.agentId);
  const part = (of: string): string => `${trace}#${of}`;
  return {
    trace,
    agent,
    invocation: part('invocation'),
    input: part('input'),
    association: part('association'),
  };
}
type Parts = ReturnType<typeof partsOf>;

function decisionTriples(decision: Provenance): Triple[] {
  const { triples, about } = collector();
  const parts = partsOf(decision);
  describeEntity(decision, parts, about);
  describeInvocation(decision, parts, about);
  const software = about(parts.agent);
  software('rdf:type', name('prov:SoftwareAgent'), name('prov:Agent'));
  if (decision.agentName !== null) software('rdfs:label', string(decision.agentName));
  describePlans(decision, parts, about);
  return triples;
}

function describeEntity(
  decision: Provenance,
  { trace, invocation, agent }: Parts,
  about: About,
): void {
  const { hashChain, outputDecision } = decision;
  const entity = about(trace);
  entity('rdf:type', name('prov:Entity'));
  entity('prov:wasGeneratedBy', iri(invocation));
  entity('prov:wasAttributedTo', iri(agent));
  entity('prov:generatedAtTime', time(decision.createdAt));
  entity('prov:wasDerivedFrom', ...parentsOf(decision).map(iri));
  entity('assay:status', string(decision.status));
  entity('assay:sequence', { text: String(hashChain.sequence), type: 'xsd:integer' });
  entity('assay:chainHash', string(hashChain.chainHash));
  if (outputDecision !== null) entity('assay:outputDigest', digestOf(outputDecision));
}

function describeInvocation(
  decision: Provenance,
  { invocation, agent, input }: Parts,
  about: About,
): void {
  const { inputContext, agentVersion } = decision;
  const activity = about(invocation);
  activity('rdf:type', name('prov:Activity'));
  activity('prov:wasAssociatedWith', iri(agent));
  activity('prov:endedAtTime', time(decision.timestamp));
  if (agentVersion !== null) activity('assay:agentVersion', string(agentVersion));
  if (inputContext === null) return;
  activity('prov:used', iri(input));
  about(input)('rdf:type', name('prov:Entity'));
  about(input)('assay:inputDigest', digestOf(inputContext));
}

/** Describes the matched policies as the plans of the agent. */
function describePlans(
  decision: Provenance,
  { invocation, association, agent }: Parts,
  about: About,
): void {
  const policies = decision.policyIds.map((id) => idOf(decision, 'policy', id));
  if (policies.length === 0) return;
  for (const policy of policies) about(policy)('rdf:type', name('prov:Plan'), name('prov:Entity'));
  about(invocation)('prov:qualifiedAssociation', iri(association));
  about(association)('rdf:type', name('prov:Association'));
  about(association)('prov:agent', iri(agent));
  about(association)('prov:hadPlan', ...policies.map(iri));
}

function reviewTriples(
  decision: Provenance,
  { sequence, userId, decision: verdict, at }: Review,
): Triple[] {
  const { triples, about } = collector();
  const trace = idOf(decision, 'trace', decision.traceId);
  const review = about(`${trace}#review-${sequence}`);
  review('rdf:type', name('prov:Activity'));
  review('prov:used', iri(trace));
  review('prov:endedAtTime', time(at));
  review('assay:decision', string(verdict));
  if (userId !== null) {
    const person = idOf(decision, 'user', userId);
    review('prov:wasAssociatedWith', iri(person));
    about(person)('rdf:type', name('prov:Person'), name('prov:Agent'));
  }
  return triples;
}

/** The decisions named by `parentTraceId` in the input: one id or a list. */
function parentsOf(decision: Provenance): string[] {
  const { inputContext } = decision;
  if (typeof inputContext !== 'object' || inputContext === null || Array.isArray(inputContext))
    return [];
  const named = [inputContext.parentTraceId ?? []].flat().slice(0, MOST_PARENTS);
  return named
    .filter((id) => typeof id === 'string')
    .filter((id) => id !== '' && id.length <= PARENT_CHARACTERS && id.isWellFormed())
    .map((id) => idOf(decision, 'trace', id));
}
