// The messages of OTLP that are read and written, as OpenTelemetry publishes them (opentelemetry-proto 1.9); decoders skip other fields.
import type { INamespace, IType } from 'protobufjs/light.js';

type Fields = Readonly<Record<string, readonly [type: string, id: number, rule?: 'repeated']>>;

/** The JSON descriptor of a message. */
const defineMessage = (fields: Fields): IType => ({
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, [type, id, rule]]) => [
      name,
      { type, id, ...(rule && { rule }) },
    ]),
  ),
});

const attributes = ['KeyValue', 1, 'repeated'] as const;

/** The three answers have one form on the wire. */
const defineAnswer = (rejected: string): Readonly<Record<string, IType>> => ({
  [`Export${rejected}Response`]: defineMessage({ partialSuccess: [`${rejected}Partial`, 1] }),
  [`${rejected}Partial`]: defineMessage({ rejected: ['int64', 1], errorMessage: ['string', 2] }),
});

const anyValues = {
  stringValue: ['string', 1],
  boolValue: ['bool', 2],
  intValue: ['int64', 3],
  doubleValue: ['double', 4],
  arrayValue: ['ArrayValue', 5],
  kvlistValue: ['KeyValueList', 6],
  bytesValue: ['bytes', 7],
} as const;

/** One of its fields is set, perhaps to false, zero or an empty text, which other fields are not sent with. */
const ANY_VALUE = {
  ...defineMessage(anyValues),
  oneofs: { value: { oneof: Object.keys(anyValues) } },
};

export const DEFINITIONS: INamespace = {
  nested: {
    ExportTraceServiceRequest: defineMessage({ resourceSpans: ['ResourceSpans', 1, 'repeated'] }),
    ResourceSpans: defineMessage({
      resource: ['Resource', 1],
      scopeSpans: ['ScopeSpans', 2, 'repeated'],
    }),
    Resource: defineMessage({ attributes }),
    ScopeSpans: defineMessage({
      scope: ['InstrumentationScope', 1],
      spans: ['Span', 2, 'repeated'],
    }),
    InstrumentationScope: defineMessage({ name: ['string', 1], version: ['string', 2] }),
    Span: defineMessage({
      traceId: ['bytes', 1],
      spanId: ['bytes', 2],
      parentSpanId: ['bytes', 4],
      name: ['string', 5],
      startTimeUnixNano: ['fixed64', 7],
      endTimeUnixNano: ['fixed64', 8],
      attributes: ['KeyValue', 9, 'repeated'],
      events: ['Event', 11, 'repeated'],
      status: ['Status', 15],
    }),
    Event: defineMessage({ name: ['string', 2], attributes: ['KeyValue', 3, 'repeated'] }),
    Status: defineMessage({ message: ['string', 2], code: ['int32', 3] }),
    KeyValue: defineMessage({ key: ['string', 1], value: ['AnyValue', 2] }),
    AnyValue: ANY_VALUE,
    ArrayValue: defineMessage({ values: ['AnyValue', 1, 'repeated'] }),
    KeyValueList: defineMessage({ values: ['KeyValue', 1, 'repeated'] }),
    ...defineAnswer('Trace'),
    // google.rpc.Status; `details` is never set.
    RpcStatus: defineMessage({ code: ['int32', 1], message: ['string', 2] }),
  },
};
