// Checks an answer against the API document: declared status, declared code, the schema, and no member besides.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openapi } from '../../src/http/documents/openapi.ts';
import { mounts } from '../../src/routes.ts';
import type { Answer } from '../setup/start-app.ts';

interface Response {
  description: string;
  content?: Record<string, { schema: object }>;
}
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: object;
}

const document = JSON.parse(JSON.stringify(openapi(mounts))) as Document;
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

function responseOf(operation: string, status: number): Response | undefined {
  const [method = '', path = ''] = operation.split(' ');
  return document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses[status];
}

function compile(text: string): ValidateFunction {
  const schema = JSON.parse(text.replaceAll('"#/components/', '"assay#/components/')) as object;
  return ajv.compile({ ...schema, unevaluatedProperties: false });
}

function madeOnce<T>(made: Map<string, T>, key: string, make: () => T): T {
  const value = made.get(key) ?? make();
  made.set(key, value);
  return value;
}

function validatorOf(key: string, schema: object): ValidateFunction {
  return madeOnce(validators, key, () => {
    const text = JSON.stringify(schema);
    return madeOnce(compiled, text, () => compile(text));
  });
}

/** Describes what is wrong with an answer; null when nothing is. */
export function faultOf(operation: string, { status, headers, body, text }: Answer): string | null {
  const response = responseOf(operation, status);
  const complain = (what: string): string =>
    `${operation} answered ${status}: ${what}: ${text.slice(0, 300)}`;
  if (!response) return complain('an undocumented status');
  if (status >= 500) return complain('a fault');
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (status >= 300 && status < 400) return null;
  if (!response.content) return text === '' ? null : complain('an undocumented content');
  const content = response.content[type];
  if (!content) return complain(`content type ${type}`);
  if (!type.endsWith('json')) return null;
  const validate = validatorOf(`${operation} ${status}`, content.schema);
  if (!validate(body)) return complain(ajv.errorsText(validate.errors));
  const { code } = body as { code?: string };
  if (code !== undefined && !response.description.includes(`\`${code}\``))
    return complain('an undocumented code');
  return null;
}
