// Writes a tar archive (POSIX ustar) of a few small files, as audit bundles are.

export interface LabFile {
  name: string;
  content: Buffer;
}

const BLOCK = 512;

const writeOctal = (number: number, digits: number): string =>
  `${number.toString(8).padStart(digits, '0')}\0`;

function createHeader({ name, content }: LabFile): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 'latin1');
  const numbers = ['0000644\0', '0000000\0', '0000000\0', writeOctal(content.length, 11)];
  header.write([...numbers, writeOctal(0, 11)].join(''), 100, 'latin1');
  header.write('        0', 148, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

export function writeTar(files: readonly LabFile[]): Buffer {
  const parts = files.flatMap((file) => {
    const { length } = file.content;
    return [createHeader(file), file.content, Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}
