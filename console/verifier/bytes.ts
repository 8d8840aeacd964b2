// The bytes of a file that was dropped: unzipped piece by piece.

const GZIP = [0x1f, 0x8b];

async function isGzip(blob: Blob): Promise<boolean> {
  const head = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  return GZIP.every((byte, i) => head[i] === byte);
}

/** Yields the unzipped bytes. `onRead` gets the number of unzipped bytes so far. */
export async function* readBlob(
  blob: Blob,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const raw = blob.stream();
  const stream = (await isGzip(blob)) ? raw.pipeThrough(new DecompressionStream('gzip')) : raw;
  const reader = stream.getReader();
  let bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    bytes += value.length;
    onRead(bytes);
    yield Buffer.from(value.buffer, value.byteOffset, value.length);
  }
}

/** Reads all of a file; null when it is longer than `most` bytes. */
export async function readWhole(blob: Blob, most: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of readBlob(blob, () => {})) {
    length += piece.length;
    if (length > most) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
