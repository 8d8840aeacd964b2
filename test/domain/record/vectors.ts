// Reads the test vectors that every implementation of the formats must agree with.
import { readFileSync } from 'node:fs';

export function vectorText(file: string): string {
  return readFileSync(`test/vectors/${file}`, 'utf8');
}

export function vectors<T>(file: string): T {
  return JSON.parse(vectorText(file)) as T;
}
