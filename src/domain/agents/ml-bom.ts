// The ML-BOM of an agent: CycloneDX 1.7 JSON from its operator's model metadata (document 1, sections 2 and 4.3).
import { canonicalizeObject } from '@assay/json';
import { sha256Hex } from '../record/chain.ts';

/** Model metadata stated by an agent's operator: opaque references to training data, never the data. */
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
  /** `urn:uuid:` and a UUID derived from the digest: BOMs of equal content are the same. */
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

/** References within a BOM are generated, never text of a caller. */
const MODEL = 'model';
/** CycloneDX requires a name, even where none is stated. */
const UNSTATED = 'unstated';

/**
 * The BOM and its digest: SHA-256, as 64 hex digits, of the canonical JSON (RFC 8785) of the BOM without `serialNumber`
 * and `metadata.timestamp`. An agent with unchanged metadata always has the same digest and serial number.
 * @param agent `id` 24 hex digits
 * @throws TypeError for a text with a lone surrogate
 */
export function createMlBom(
  agent: { id: string; name: string },
  stated: ModelMetadata,
  generatedAt: Date,
): { bom: MlBom; digest: string } {
  const component: AgentComponent = { type: 'application', 'bom-ref': agent.id, name: agent.name };
  const datasets = (stated.datasets ?? []).map(createDataComponent);
  const refs = datasets.map((dataset) => dataset['bom-ref']);
  const content = {
    bomFormat: 'CycloneDX' as const,
    specVersion: '1.7' as const,
    version: 1 as const,
    components: [createModelComponent(stated, refs), ...datasets],
    dependencies: [
      { ref: agent.id, dependsOn: [MODEL] },
      { ref: MODEL, dependsOn: refs },
    ],
  };
  const digest = sha256Hex(canonicalizeObject({ ...content, metadata: { component } }));
  const metadata = { timestamp: generatedAt.toISOString(), component };
  return { bom: { ...content, serialNumber: deriveUuidUrn(digest), metadata }, digest };
}

function createModelComponent(stated: ModelMetadata, datasets: readonly string[]): ModelComponent {
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
    ...toLicences(license),
    modelCard: {
      modelParameters: { datasets: datasets.map((ref) => ({ ref })) },
      considerations: { useCases: purpose === undefined ? [] : [purpose] },
      properties: [
        ...toProperties('riskClass', riskClass),
        ...toProperties('trainingDataSummary', trainingDataSummary),
      ],
    },
  };
}

function createDataComponent(
  { name, uri, license, sha256, description }: Dataset,
  index: number,
): DataComponent {
  return {
    type: 'data',
    'bom-ref': `dataset-${index + 1}`,
    name,
    ...(description !== undefined && { description }),
    ...(sha256 !== undefined && { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
    ...toLicences(license),
    data: [{ type: 'dataset', ...(uri !== undefined && { contents: { url: uri } }) }],
  };
}

function toLicences(license: string | undefined): { licenses?: Licences } {
  return license === undefined ? {} : { licenses: [{ license: { name: license } }] };
}

function toProperties(name: string, value: string | undefined): { name: string; value: string }[] {
  return value === undefined ? [] : [{ name: `assay:${name}`, value }];
}

/** A version 8 UUID (RFC 9562) of the first bits of a digest. */
function deriveUuidUrn(digest: string): string {
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

const buildCharacterPattern = (extra: string): string =>
  String.raw`(?:[\w.~!$&'()*+,;=${extra}-]|%[\da-f]{2})*`;
const HOST = String.raw`//${buildCharacterPattern('')}(?::\d*)?(?=[/?#]|$)`;
const TAIL = buildCharacterPattern(':@/?');
/** A URI (RFC 3986) with a scheme, a host or path, and no user information. */
const URI = new RegExp(
  `^[a-z][a-z0-9+.-]*:(?=[^?#])(?:${HOST}|(?!//))${buildCharacterPattern(':@/')}(?:\\?${TAIL})?(?:#${TAIL})?$`,
  'i',
);
/** Schemes whose URIs contain their data, or run it. */
const NOT_A_REFERENCE = /^(data|blob|javascript|vbscript):/i;

/** Whether a text is a URI that refers to data without containing any, and without credentials. */
export function isOpaqueReference(uri: string): boolean {
  return URI.test(uri) && !NOT_A_REFERENCE.test(uri);
}
