// The ML-BOM of an agent: CycloneDX 1.7 as JSON, made of what its operator states of the model (document 1, sections 2 and 4.3).
import { canonicalize } from '../record/canonical-json.ts';
import { sha256Hex } from '../record/chain.ts';
import type { JsonObject } from '../record/json.ts';

/** What an operator states of the model behind an agent: opaque references to training data, never the data. */
export interface ModelMetadata {
  provider?: string;
  model?: string;
  version?: string;
  license?: string;
  riskClass?: string;
  purpose?: string;
  trainingDataSummary?: string;
  datasets?: Dataset[];
}

export interface Dataset {
  name: string;
  uri?: string;
  license?: string;
  /** 64 lowercase hex digits. */
  sha256?: string;
  description?: string;
}

export interface MlBom {
  bomFormat: 'CycloneDX';
  specVersion: '1.7';
  /** `urn:uuid:` and a UUID that follows from the digest: equal contents are one BOM. */
  serialNumber: string;
  version: 1;
  metadata: { timestamp: string; component: AgentComponent };
  /** The model, then its data sets. */
  components: (ModelComponent | DataComponent)[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

type Licences = { license: { name: string } }[];

interface AgentComponent {
  type: 'application';
  'bom-ref': string;
  name: string;
}

interface ModelComponent {
  type: 'machine-learning-model';
  'bom-ref': string;
  supplier?: { name: string };
  name: string;
  version?: string;
  licenses?: Licences;
  modelCard: {
    modelParameters: { datasets: { ref: string }[] };
    considerations: { useCases: string[] };
    properties: { name: string; value: string }[];
  };
}

interface DataComponent {
  type: 'data';
  'bom-ref': string;
  name: string;
  description?: string;
  hashes?: { alg: 'SHA-256'; content: string }[];
  licenses?: Licences;
  data: { type: 'dataset'; contents?: { url: string } }[];
}

/** References inside a BOM are ours: no text of a caller becomes one. */
const MODEL = 'model';
/** A component has a name, also when nobody stated it. */
const UNSTATED = 'unstated';

/**
 * The BOM and its digest: SHA-256, as 64 hex digits, of the canonical JSON (RFC 8785) of the BOM without `serialNumber` and
 * `metadata.timestamp`. The same agent with the same statements has the same digest and serial number at any time.
 * @param agent `id` 24 hex digits
 * @throws TypeError for a text with a lone surrogate
 */
export function createMlBom(
  agent: { id: string; name: string },
  stated: ModelMetadata,
  generatedAt: Date,
): { bom: MlBom; digest: string } {
  const component: AgentComponent = { type: 'application', 'bom-ref': agent.id, name: agent.name };
  const datasets = (stated.datasets ?? []).map(dataComponent);
  const refs = datasets.map((dataset) => dataset['bom-ref']);
  const content = {
    bomFormat: 'CycloneDX' as const,
    specVersion: '1.7' as const,
    version: 1 as const,
    components: [modelComponent(stated, refs), ...datasets],
    dependencies: [
      { ref: agent.id, dependsOn: [MODEL] },
      { ref: MODEL, dependsOn: refs },
    ],
  };
  const digest = sha256Hex(
    canonicalize({ ...content, metadata: { component } } as unknown as JsonObject),
  );
  const metadata = { timestamp: generatedAt.toISOString(), component };
  return { bom: { ...content, serialNumber: uuidUrn(digest), metadata }, digest };
}

function modelComponent(stated: ModelMetadata, datasets: readonly string[]): ModelComponent {
  const {
    provider,
    model = UNSTATED,
    version,
    license,
    purpose,
    riskClass,
    trainingDataSummary,
  } = stated;
  return {
    type: 'machine-learning-model',
    'bom-ref': MODEL,
    ...(provider !== undefined && { supplier: { name: provider } }),
    name: model,
    ...(version !== undefined && { version }),
    ...licensed(license),
    modelCard: {
      modelParameters: { datasets: datasets.map((ref) => ({ ref })) },
      considerations: { useCases: purpose === undefined ? [] : [purpose] },
      properties: [
        ...property('riskClass', riskClass),
        ...property('trainingDataSummary', trainingDataSummary),
      ],
    },
  };
}

function dataComponent(
  { name, uri, license, sha256, description }: Dataset,
  index: number,
): DataComponent {
  return {
    type: 'data',
    'bom-ref': `dataset-${index + 1}`,
    name,
    ...(description !== undefined && { description }),
    ...(sha256 !== undefined && { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
    ...licensed(license),
    data: [{ type: 'dataset', ...(uri !== undefined && { contents: { url: uri } }) }],
  };
}

function licensed(license: string | undefined): { licenses?: Licences } {
  return license === undefined ? {} : { licenses: [{ license: { name: license } }] };
}

function property(name: string, value: string | undefined): { name: string; value: string }[] {
  return value === undefined ? [] : [{ name: `assay:${name}`, value }];
}

/** A UUID of version 8 (RFC 9562) made of the first bits of a digest. */
function uuidUrn(digest: string): string {
  const variant = ((parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

const characters = (besides: string): string =>
  String.raw`(?:[\w.~!$&'()*+,;=${besides}-]|%[\da-f]{2})*`;
const HOST = String.raw`//${characters('')}(?::\d*)?(?=[/?#]|$)`;
const TAIL = characters(':@/?');
/** A URI (RFC 3986) that has a scheme, a host or path, and nobody's name or password before the host. */
const URI = new RegExp(
  `^[a-z][a-z0-9+.-]*:(?=[^?#])(?:${HOST}|(?!//))${characters(':@/')}(?:\\?${TAIL})?(?:#${TAIL})?$`,
  'i',
);
/** Schemes that hold what they name, or run it. */
const NO_REFERENCE = /^(data|blob|javascript|vbscript):/i;

/** Whether a text refers to data without holding any, and without anybody's password. */
export function isOpaqueReference(uri: string): boolean {
  return URI.test(uri) && !NO_REFERENCE.test(uri);
}
