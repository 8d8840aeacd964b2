// The dialects, one span or several each, as their instrumentations write them: which calls they are, and with which arguments.
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs/light.js';
import { expect, test } from 'vitest';
import { DEFINITIONS } from '../../../src/platform/otlp/definitions.ts';
import { readExport } from '../../../src/decisions/otlp/export-reader.ts';
import { useHarness } from '../../setup/fixtures.ts';
import { createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { buildExport, buildToolSpan, sendExport, toAttributes } from './exports.ts';

const { app } = useHarness();

type Attributes = Record<string, string | boolean>;
interface Span {
  name: string;
  attributes: Attributes;
  scope?: string;
  /** The place of its parent in the list. */
  parent?: number;
  events?: { name: string; attributes: Attributes }[];
}
interface Expected {
  tool: string;
  arguments?: object;
  callId?: string;
  agent?: string;
  conversation?: string;
  prompt?: string;
}
interface Case {
  name: string;
  spans: Span[];
  expected: Expected[];
}

const cases = JSON.parse(
  readFileSync(new URL('../../vectors/otlp/dialects.json', import.meta.url), 'utf8'),
) as Case[];

const toSpanId = (place: number): string => String(place + 1).padStart(16, '0');

const toScopeSpans = ({ name, attributes, scope, parent, events = [] }: Span, place: number) => ({
  scope: { name: scope ?? 'tests' },
  spans: [
    {
      traceId: 'a'.repeat(32),
      spanId: toSpanId(place),
      ...(parent !== undefined && { parentSpanId: toSpanId(parent) }),
      name,
      startTimeUnixNano: String(1_764_000_000_000_000_000n + BigInt(place) * 1_000_000n),
      attributes: toAttributes(attributes),
      events: events.map((event) => ({ ...event, attributes: toAttributes(event.attributes) })),
    },
  ],
});

const Request = protobuf.Root.fromJSON(DEFINITIONS).lookupType('ExportTraceServiceRequest');

/** The bytes of an export in protobuf, which has ids as bytes. */
function encodeExport(scopeSpans: ReturnType<typeof toScopeSpans>[]): Uint8Array {
  const toBytes = (digits: string): Buffer => Buffer.from(digits, 'hex');
  const encoded = scopeSpans.map(({ scope, spans }) => ({
    scope,
    spans: spans.map(({ traceId, spanId, parentSpanId = '', ...span }) => ({
      ...span,
      traceId: toBytes(traceId),
      spanId: toBytes(spanId),
      parentSpanId: toBytes(parentSpanId),
    })),
  }));
  return Request.encode(Request.fromObject({ resourceSpans: [{ scopeSpans: encoded }] })).finish();
}

const encodings = ['JSON', 'protobuf'] as const;
const encoded = cases.flatMap((each) => encodings.map((encoding) => ({ ...each, encoding })));

test.for(encoded)('$name, in $encoding', ({ spans, expected, encoding }) => {
  const scopeSpans = spans.map(toScopeSpans);
  const isProtobuf = encoding === 'protobuf';
  const bytes = isProtobuf
    ? encodeExport(scopeSpans)
    : Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans }] }));
  const read = readExport({ bytes, isProtobuf });
  const found = read.calls.map(({ act, agent, body: decision }) => ({ act, agent, decision }));
  expect(found).toEqual(
    expected.map(({ tool, arguments: given, callId, agent, conversation, prompt }) => ({
      act: given === undefined ? { tool } : { tool, arguments: given },
      agent: agent ?? expect.toBeOneOf([null, expect.any(String)]),
      decision: expect.objectContaining({
        outputDecision: { action: given === undefined ? { tool } : { tool, arguments: given } },
        ...((conversation !== undefined || prompt !== undefined) && {
          inputContext: {
            prompt: prompt ?? expect.any(String),
            ...(conversation !== undefined && { conversationId: conversation }),
          },
        }),
        ...(callId !== undefined && { adapter: expect.objectContaining({ callId }) }),
      }),
    })),
  );
});

test('an export of which no span is understood says so, and one of which some are does not', async () => {
  const ada = await createOwner(app);
  const { key } = await createWorkspaceKey(app, ada);
  const plain = buildToolSpan({}, { attributes: toAttributes({ 'http.method': 'GET' }) });
  const nameless = buildToolSpan(
    {},
    { name: '', attributes: toAttributes({ 'gen_ai.operation.name': 'execute_tool' }) },
  );
  const unread = await sendExport(app, key, buildExport(plain, plain, nameless));
  expect([unread.status, unread.body]).toEqual([
    200,
    {
      partialSuccess: {
        rejectedSpans: '0',
        errorMessage: expect.stringMatching(/^3: spans, and none .*langfuse.*claude-code$/),
      },
    },
  ]);
  const mixed = await sendExport(app, key, buildExport(plain, buildToolSpan()));
  expect([mixed.status, mixed.body]).toEqual([200, {}]);
  expect((await sendExport(app, key, buildExport())).body).toEqual({});
});
