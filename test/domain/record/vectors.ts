// Reads the test vectors that every implementation of the formats must agree with.
import { readFileSync } from 'node:fs';

export function readVectorText(file: string): string {
  return readFileSync(`test/vectors/${file}`, 'utf8');
}

export function readVectors<T>(file: string): T {
  return JSON.parse(readVectorText(file)) as T;
}
