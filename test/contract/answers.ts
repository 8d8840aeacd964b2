// Checks an answer against the API document: declared status, declared code, the schema, and no member besides.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { generateOpenApi } from '../../src/http/documents/openapi.ts';
import { mounts } from '../../src/routes.ts';
import type { Answer } from '../setup/start-app.ts';

interface Response {
  description: string;
  content?: Record<string, { schema: object }>;
}
/** A response that several operations share. */
interface Reference {
  $ref: string;
}
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response | Reference> }>>;
  components: { responses: Record<string, Response> };
}

const document = JSON.parse(JSON.stringify(generateOpenApi(mounts))) as Document;
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  strictTypes: false,
  allErrors: true,
});
formats.default(ajv);
ajv.addSchema({ $id: 'assay', components: document.components }, 'assay');
ajv.addVocabulary(['components']);
/** Validators by schema: most refusals have the same one, regardless of the operation. */
const compiled = new Map<string, ValidateFunction>();
/** Validator keys, by operation and status. */
const validators = new Map<string, ValidateFunction>();

function findResponse(operation: string, status: number): Response | undefined {
  const [method = '', path = ''] = operation.split(' ');
  const { responses } =
    document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] ?? {};
  const response = responses?.[status];
  return response && '$ref' in response
    ? document.components.responses[response.$ref.replace('#/components/responses/', '')]
    : response;
}

function compile(text: string): ValidateFunction {
  const schema = JSON.parse(text.replaceAll('"#/components/', '"assay#/components/')) as object;
  return ajv.compile({ ...schema, unevaluatedProperties: false });
}

function getOrCreate<T>(made: Map<string, T>, key: string, make: () => T): T {
  const value = made.get(key) ?? make();
  made.set(key, value);
  return value;
}

function getValidator(key: string, schema: object): ValidateFunction {
  return getOrCreate(validators, key, () => {
    const text = JSON.stringify(schema);
    return getOrCreate(compiled, text, () => compile(text));
  });
}

/** Describes what is wrong with an answer; null when nothing is. */
export function findFault(
  operation: string,
  { status, headers, body, text }: Answer,
): string | null {
  const response = findResponse(operation, status);
  const describeFault = (what: string): string =>
    `${operation} answered ${status}: ${what}: ${text.slice(0, 300)}`;
  if (!response) return describeFault('an undocumented status');
  if (status >= 500) return describeFault('a fault');
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (status >= 300 && status < 400) return null;
  if (!response.content) return text === '' ? null : describeFault('an undocumented content');
  const content = response.content[type];
  if (!content) return describeFault(`content type ${type}`);
  if (!type.endsWith('json')) return null;
  const validate = getValidator(`${operation} ${status}`, content.schema);
  if (!validate(body)) return describeFault(ajv.errorsText(validate.errors));
  const { code } = body as { code?: string | number };
  if (typeof code === 'string' && !response.description.includes(`\`${code}\``))
    return describeFault('an undocumented code');
  return null;
}
