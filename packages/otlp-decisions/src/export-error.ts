// Why a request is refused as a whole.

/** A request that is not an export of traces, or is beyond the bounds. */
export class ExportError extends Error {
  readonly isTooLarge: boolean;

  constructor(
    text: string,
    { isTooLarge = false, cause }: { isTooLarge?: boolean; cause?: unknown } = {},
  ) {
    super(text, { cause });
    this.name = 'ExportError';
    this.isTooLarge = isTooLarge;
  }
}
