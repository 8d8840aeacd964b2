// The dialects, one span or several each, as their instrumentations write them: which calls they are, and with which arguments.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readTraceExport } from '../src/index.ts';
import { toAttributes } from '../../../test/setup/otlp/exports.ts';
import { encodeSpan, encodeMessage, wrapBytes } from '../../../test/setup/otlp/protobuf.ts';

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
  readFileSync(new URL('../../../test/vectors/otlp/dialects.json', import.meta.url), 'utf8'),
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

type ScopeSpans = ReturnType<typeof toScopeSpans>;

const encodings = {
  json: (scopeSpans: ScopeSpans[]): Buffer =>
    Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans }] })),
  protobuf: (scopeSpans: ScopeSpans[]): Buffer =>
    wrapBytes(
      1,
      Buffer.concat(
        scopeSpans.map(({ scope, spans }) =>
          wrapBytes(
            2,
            Buffer.concat([
              wrapBytes(1, encodeMessage('InstrumentationScope', scope)),
              ...spans.map((span) => wrapBytes(2, encodeSpan(span))),
            ]),
          ),
        ),
      ),
    ),
};
const names = ['json', 'protobuf'] as const;
const encoded = cases.flatMap((each) => names.map((encoding) => ({ ...each, encoding })));

test.for(encoded)('$name, in $encoding', ({ spans, expected, encoding }) => {
  const bytes = encodings[encoding](spans.map(toScopeSpans));
  const { decisions } = readTraceExport(bytes, encoding);
  expect(decisions).toEqual(
    expected.map(({ tool, arguments: given, callId, agent, conversation, prompt }) =>
      expect.objectContaining({
        action: given === undefined ? { tool } : { tool, arguments: given },
        agent: agent ?? expect.toBeOneOf([null, expect.any(String)]),
        ...(conversation !== undefined && { conversationId: conversation }),
        ...(prompt !== undefined && { prompt }),
        ...(callId !== undefined && { callId }),
      }),
    ),
  );
});
