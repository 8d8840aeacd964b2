// Bounds of one export: a request beyond them is refused as a whole, and a value beyond them is cut.

export const exportLimits = {
  /** Of the body, after inflation. */
  bytes: 4 * 1024 * 1024,
  spans: 2000,
  /** Members and elements of a JSON body, and messages of a protobuf body: some fifty attributes of each span. */
  values: 250_000,
  /** Levels of a JSON body that are parsed: 16 levels of values, with the four containers around each. */
  jsonLevels: 80,
  /** Levels of messages in each other within a span of protobuf: 16 levels of values, with the messages around each. */
  messageLevels: 64,
  /** Levels of lists and maps in the value of an attribute. */
  valueLevels: 16,
  /** Ancestors of a span that are looked at; a trace may name a span as its own ancestor. */
  ancestors: 50,
} as const;
