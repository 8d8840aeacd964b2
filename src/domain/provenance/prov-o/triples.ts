// The provenance of decisions in W3C PROV-O: decisions are entities, invocations activities, and AI agents agents.
import { canonicalize, type Json } from '@assay/json';
import { sha256Hex } from '../../record/chain.ts';

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

const toIriTerm = (text: string): Term => ({ iri: text });
const toNameTerm = (text: Name): Term => toIriTerm(expandName(text));
const toTimeTerm = (at: Date): Term => ({ text: at.toISOString(), type: 'xsd:dateTime' });
const toStringTerm = (text: string): Term => ({ text, type: 'xsd:string' });
const toDigestTerm = (value: Json): Term => toStringTerm(sha256Hex(canonicalize(value)));

/** The IRI that a prefixed name stands for. */
export function expandName(prefixed: Name): string {
  const colon = prefixed.indexOf(':');
  return PREFIXES[prefixed.slice(0, colon) as Prefix] + prefixed.slice(colon + 1);
}

/** The graph of the decisions without duplicate triples. */
export function createTriples(decisions: readonly Provenance[]): Triple[] {
  const triples = new Map<string, Triple>();
  for (const decision of decisions)
    for (const triple of [
      ...describeDecision(decision),
      ...decision.reviews.flatMap((review) => describeReview(decision, review)),
    ])
      triples.set(JSON.stringify(triple), triple);
  return [...triples.values()];
}

function createUrn({ organizationId }: Provenance, kind: string, id: string): string {
  return `urn:assay:${organizationId}:${kind}:${encodeURIComponent(id)}`;
}

/** `about(subject)` adds triples with that subject. */
function createCollector() {
  const triples: Triple[] = [];
  const about =
    (subject: string) =>
    (predicate: Name, ...objects: Term[]): void => {
      for (const object of objects) triples.push({ subject, predicate, object });
    };
  return { triples, about };
}

type About = ReturnType<typeof createCollector>['about'];

/** The identifiers of a decision's parts. */
function createIdentifiers(decision: Provenance) {
  const trace = createUrn(decision, 'trace', decision.traceId);
  const agent = createUrn(decision, 'agent', decision.agentId);
  const toPartId = (of: string): string => `${trace}#${of}`;
  return {
    trace,
    agent,
    invocation: toPartId('invocation'),
    input: toPartId('input'),
    association: toPartId('association'),
  };
}
type DecisionIdentifiers = ReturnType<typeof createIdentifiers>;

function describeDecision(decision: Provenance): Triple[] {
  const { triples, about } = createCollector();
  const parts = createIdentifiers(decision);
  describeEntity(decision, parts, about);
  describeInvocation(decision, parts, about);
  const software = about(parts.agent);
  software('rdf:type', toNameTerm('prov:SoftwareAgent'), toNameTerm('prov:Agent'));
  if (decision.agentName !== null) software('rdfs:label', toStringTerm(decision.agentName));
  describePlans(decision, parts, about);
  return triples;
}

function describeEntity(
  decision: Provenance,
  { trace, invocation, agent }: DecisionIdentifiers,
  about: About,
): void {
  const { hashChain, outputDecision } = decision;
  const entity = about(trace);
  entity('rdf:type', toNameTerm('prov:Entity'));
  entity('prov:wasGeneratedBy', toIriTerm(invocation));
  entity('prov:wasAttributedTo', toIriTerm(agent));
  entity('prov:generatedAtTime', toTimeTerm(decision.createdAt));
  entity('prov:wasDerivedFrom', ...findParents(decision).map(toIriTerm));
  entity('assay:status', toStringTerm(decision.status));
  entity('assay:sequence', { text: String(hashChain.sequence), type: 'xsd:integer' });
  entity('assay:chainHash', toStringTerm(hashChain.chainHash));
  if (outputDecision !== null) entity('assay:outputDigest', toDigestTerm(outputDecision));
}

function describeInvocation(
  decision: Provenance,
  { invocation, agent, input }: DecisionIdentifiers,
  about: About,
): void {
  const { inputContext, agentVersion } = decision;
  const activity = about(invocation);
  activity('rdf:type', toNameTerm('prov:Activity'));
  activity('prov:wasAssociatedWith', toIriTerm(agent));
  activity('prov:endedAtTime', toTimeTerm(decision.timestamp));
  if (agentVersion !== null) activity('assay:agentVersion', toStringTerm(agentVersion));
  if (inputContext === null) return;
  activity('prov:used', toIriTerm(input));
  about(input)('rdf:type', toNameTerm('prov:Entity'));
  about(input)('assay:inputDigest', toDigestTerm(inputContext));
}

/** Describes the matched policies as the plans of the agent. */
function describePlans(
  decision: Provenance,
  { invocation, association, agent }: DecisionIdentifiers,
  about: About,
): void {
  const policies = decision.policyIds.map((id) => createUrn(decision, 'policy', id));
  if (policies.length === 0) return;
  for (const policy of policies)
    about(policy)('rdf:type', toNameTerm('prov:Plan'), toNameTerm('prov:Entity'));
  about(invocation)('prov:qualifiedAssociation', toIriTerm(association));
  about(association)('rdf:type', toNameTerm('prov:Association'));
  about(association)('prov:agent', toIriTerm(agent));
  about(association)('prov:hadPlan', ...policies.map(toIriTerm));
}

function describeReview(
  decision: Provenance,
  { sequence, userId, decision: verdict, at }: Review,
): Triple[] {
  const { triples, about } = createCollector();
  const trace = createUrn(decision, 'trace', decision.traceId);
  const review = about(`${trace}#review-${sequence}`);
  review('rdf:type', toNameTerm('prov:Activity'));
  review('prov:used', toIriTerm(trace));
  review('prov:endedAtTime', toTimeTerm(at));
  review('assay:decision', toStringTerm(verdict));
  if (userId !== null) {
    const person = createUrn(decision, 'user', userId);
    review('prov:wasAssociatedWith', toIriTerm(person));
    about(person)('rdf:type', toNameTerm('prov:Person'), toNameTerm('prov:Agent'));
  }
  return triples;
}

/** The decisions named by `parentTraceId` in the input: one id or a list. */
function findParents(decision: Provenance): string[] {
  const { inputContext } = decision;
  if (typeof inputContext !== 'object' || inputContext === null || Array.isArray(inputContext))
    return [];
  const named = [inputContext.parentTraceId ?? []].flat().slice(0, MOST_PARENTS);
  return named
    .filter((id) => typeof id === 'string')
    .filter((id) => id !== '' && id.length <= PARENT_CHARACTERS && id.isWellFormed())
    .map((id) => createUrn(decision, 'trace', id));
}
