// Bounds of one OTLP export: a request beyond them is refused as a whole.

export const MAX_BYTES = 4 * 1024 * 1024;
export const MAX_SPANS = 2000;
/** Members and elements of a JSON body, and messages of a protobuf body: some fifty attributes of each span. */
export const MAX_EXPORT_VALUES = 250_000;
/** Levels of a JSON body that are parsed: 16 levels of values, with the four containers around each. */
export const MAX_LEVELS = 80;
/** Levels of lists and maps in the value of an attribute. */
export const MAX_VALUE_DEPTH = 16;
