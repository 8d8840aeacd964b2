// The trials of one operation: every input of its example replaced by what it should never be.
import type { Answer } from '../../setup/start-app.ts';
import { freeForm } from '../examples/all.ts';
import type { Sample } from '../examples/example.ts';
import { listPlaces, replaceValue, type Path } from '../paths.ts';
import { toForm, sendSample, type Credentials } from '../requests.ts';
import type { Tenant } from '../tenant.ts';
import { BAD_BODIES, BAD_TEXTS, BAD_VALUES, type BadValue } from './bad-values.ts';

export interface Trial {
  name: string;
  /** Never served, whatever the operation. */
  never: boolean;
  call: () => Promise<Answer>;
}

/** A request that is served. */
export interface Good {
  tenant: Tenant;
  operation: string;
  credentials: Credentials;
  sample: Sample;
}

const MARK = '"@@here@@"';

export const createTrials = (good: Good): Trial[] => [
  ...createBodyTrials(good),
  ...createFormTrials(good),
  ...createAddressTrials(good),
];

/** The sample's body with the value at `path` replaced by JSON text as it is. */
function replaceInBody(sample: Sample, path: Path, json: string): string {
  const marked = JSON.stringify(replaceValue(sample.body ?? {}, path, JSON.parse(MARK)));
  return marked.replace(MARK, () => json);
}

function createBodyTrials({ tenant, operation, credentials, sample }: Good): Trial[] {
  if (!sample.body) return [];
  const call =
    (raw: string | Uint8Array, headers = {}) =>
    (): Promise<Answer> =>
      sendSample(tenant, operation, {
        sample: { ...sample, body: {} },
        ...credentials,
        raw,
        headers,
      });
  const free = new Set(freeForm[operation]);
  const isData = (path: Path, { json }: BadValue): boolean =>
    json.startsWith('{"$') && !free.has(path.join('.'));
  const places = listPlaces(sample.body);
  return [
    ...places.flatMap(({ path, value }) =>
      BAD_VALUES.map((bad) => ({
        name: `${path.join('.')} = ${bad.name}`,
        never: bad.never === true || (typeof value === 'string' && isData(path, bad)),
        call: call(replaceInBody(sample, path, bad.json)),
      })),
    ),
    ...places.map(({ path }) => ({
      name: `${path.join('.')} left out`,
      never: false,
      call: call(JSON.stringify(replaceValue(sample.body, path, undefined))),
    })),
    ...BAD_BODIES.map(({ name, raw, headers }) => ({
      name,
      never: true,
      call: call(raw, headers),
    })),
  ];
}

/** A form with one text put in as it is, without a member, with one twice, and what is no form. */
function createFormTrials({ tenant, operation, credentials, sample }: Good): Trial[] {
  if (!sample.form) return [];
  const form = Object.entries(sample.form);
  const free = new Set(freeForm[operation]);
  /** Whether the member takes any text, and this is one. */
  const isText = (name: string, text: string): boolean => free.has(name) && !text.includes('%00');
  const createFormRequest = (raw: string | Uint8Array, more = {}) => {
    const headers = { ...toForm({}).headers, ...more };
    const call = () => sendSample(tenant, operation, { sample, ...credentials, raw, headers });
    return { never: true, call };
  };
  const omitMember = (without: string): string =>
    new URLSearchParams(form.filter(([name]) => name !== without)).toString();
  return [
    ...form.flatMap(([name]) => [
      ...BAD_TEXTS.map((text) => ({
        name: `${name}=${text.slice(0, 40)}`,
        ...createFormRequest(`${name}=${text}&${omitMember(name)}`),
        never: !isText(name, text),
      })),
      {
        name: `${name} left out`,
        ...createFormRequest(omitMember(name)),
        never: !free.has(name),
      },
      { name: `${name} twice`, ...createFormRequest(`${omitMember('')}&${omitMember('')}`) },
    ]),
    ...BAD_BODIES.map(({ name, raw, headers }) => ({ name, ...createFormRequest(raw, headers) })),
  ];
}

/** Parameters and a query, put in as they are: `URLSearchParams` would encode them. */
function createAddressTrials(good: Good): Trial[] {
  const { params = {}, query = {} } = good.sample;
  const free = new Set(freeForm[good.operation]);
  const omitParameter = (without: string): string =>
    new URLSearchParams(Object.entries(query).filter(([name]) => name !== without)).toString();
  const inQuery = Object.entries(query).flatMap(([name, value]) => [
    ...BAD_TEXTS.map((text) => ({ search: `${name}=${text}`, never: text.includes('%00') })),
    { search: `${name}[$ne]=1`, never: false },
    { search: `${name}=`, never: false },
    { search: `${name}=${value}&${name}=${value}`, never: false },
  ]);
  return [
    ...Object.keys(params).flatMap((name) =>
      BAD_TEXTS.map((text) => ({
        name: `:${name} = ${text.slice(0, 40)}`,
        never: !free.has(name) || text.includes('%00'),
        call: () => callAddress(good, { ...params, [name]: text }, ''),
      })),
    ),
    ...inQuery.map(({ search, never }) => ({
      name: `?${search.slice(0, 60)}`,
      never,
      call: () =>
        callAddress(good, params, `?${search}&${omitParameter(search.split(/[=[]/)[0] ?? '')}`),
    })),
  ];
}

function callAddress(
  { tenant, operation, credentials, sample: { body, form } }: Good,
  params: Record<string, string>,
  search: string,
): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ');
  const address = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? name);
  return tenant.harness.app.call(method, address + search, {
    ...credentials,
    ...(body && { body }),
    ...(form && toForm(form)),
  });
}
