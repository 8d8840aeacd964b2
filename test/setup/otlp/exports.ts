// Exports of spans: those that real exporters made, and small ones of the tests.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { generateHex } from '../../../src/platform/ids.ts';

export interface Recording {
  exporter: string;
  versions: Record<string, string>;
  contentType: string;
  contentEncoding: string;
  body: string;
}

export function readRecording(name: string): Recording {
  const file = new URL(`../../vectors/otlp/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Recording;
}

/** The bytes of a recording after decompression. */
export function readBytes(name: string): Buffer {
  const { body, contentEncoding } = readRecording(name);
  const sent = Buffer.from(body, 'base64');
  return contentEncoding === 'gzip' ? gunzipSync(sent) : sent;
}

type Value = string | number | boolean | object;

const toAnyValue = (value: Value): object => {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return typeof value === 'number' ? { intValue: String(value) } : value;
};

export const toAttributes = (values: Record<string, Value>): object[] =>
  Object.entries(values).map(([key, value]) => ({ key, value: toAnyValue(value) }));

/** A span of a tool call in the conventions of generative AI, each with ids of its own. */
export function buildToolSpan(attributes: Record<string, Value> = {}, more: object = {}): object {
  return {
    traceId: generateHex(16),
    spanId: generateHex(8),
    name: 'execute_tool refund',
    startTimeUnixNano: '1764000000000000000',
    endTimeUnixNano: '1764000000250000000',
    attributes: toAttributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'refund',
      'gen_ai.tool.call.arguments': JSON.stringify({ amount: 90 }),
      'gen_ai.agent.name': 'desk',
      ...attributes,
    }),
    ...more,
  };
}

export const buildExport = (...spans: object[]): object => ({
  resourceSpans: [{ scopeSpans: [{ scope: { name: 'tests', version: '1' }, spans }] }],
});
