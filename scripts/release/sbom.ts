// Bills of materials in CycloneDX: what each artifact is made of. npm lists what is installed; the rest is added here.
import { writeFileSync } from 'node:fs';
import type { Part } from './image/base.ts';
import type { Notice } from './notices.ts';
import { OWNER } from './owner.ts';
import { run } from './run.ts';

export interface Component {
  'bom-ref': string;
  type: string;
  name: string;
  version?: string;
  purl: string;
  [member: string]: unknown;
}

/** CycloneDX 1.5, as npm writes it, but for what differs each time. */
export interface Bill {
  metadata: { component: Component };
  components: Component[];
  [member: string]: unknown;
}

/** Writes a bill beside its file. The same content is the same bytes. */
export function writeBill(file: string, bill: Bill): void {
  writeFileSync(`${file}.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`);
}

const describeLibrary = (name: string, purl: string): Component => ({
  'bom-ref': purl,
  type: 'library',
  name,
  purl,
});

/** A package of npm. */
export const describeNpm = (name: string, version: string): Component => ({
  ...describeLibrary(name, `pkg:npm/${name.replace('@', '%40')}@${version}`),
  version,
});

/** An expression of SPDX; npm writes one id as one. */
const describeLicence = (identifier: string | null): object =>
  identifier === null ? {} : { licenses: [{ expression: identifier }] };

/** What is compiled into programs. */
export const listCompiledIn = (notices: readonly Notice[]): Component[] =>
  notices.map(({ name, version, identifier }) => ({
    ...describeNpm(name, version),
    ...describeLicence(identifier),
    properties: [{ name: 'assay:compiled-in', value: 'true' }],
  }));

/** What pip installs in any version of a range, from lines such as `httpx>=0.27,<1`. */
export const listRanges = (requirements: readonly string[]): Component[] =>
  requirements.map((requirement) => {
    const [, name = '', range = ''] = /^([\w.-]+)(.*)$/.exec(requirement) ?? [];
    const properties = [{ name: 'assay:range', value: range }];
    return { ...describeLibrary(name, `pkg:pypi/${name}`), properties };
  });

/** The bill of what has no lock. */
export const describePackage = (component: Component, components: Component[]): Bill => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component },
  components,
});

const LIST = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'];

/** The bill of an npm package by its folder, which has a lock: what it installs, and what is compiled into it. */
export function describeService(
  folder: string,
  component: Component,
  compiled: readonly Component[],
): Bill {
  const { metadata, components, dependencies } = JSON.parse(
    run('npm', LIST, { cwd: folder }),
  ) as Bill;
  const own = metadata.component['bom-ref'];
  const known = new Set(components.map(({ purl }) => purl));
  const all = [...components, ...compiled.filter(({ purl }) => !known.has(purl))];
  return {
    ...describePackage({ ...component, type: 'application', 'bom-ref': own }, all),
    dependencies,
  };
}

/** The bill of an image: that of the service, and what is below it. */
export function describeImage(service: Bill, digest: string, parts: readonly Part[]): Bill {
  const { component } = service.metadata;
  const purl = `pkg:oci/${OWNER.names.image}@${encodeURIComponent(digest)}`;
  const version = component.version!;
  const base = parts.map(({ name, version: exact, purl: partPurl, digest: content }) => ({
    ...describeLibrary(name, partPurl),
    version: exact,
    hashes: [{ alg: 'SHA-256', content }],
  }));
  const image = { ...describeLibrary(OWNER.names.image, purl), type: 'container', version };
  return {
    ...service,
    metadata: { component: image },
    components: [component, ...service.components, ...base],
  };
}
