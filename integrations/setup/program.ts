// What a program in a process of its own is given, and what it answers.
import type { Done } from './tools.ts';

export interface Order {
  step: 'begin' | 'resume';
  state?: unknown;
}

export interface Report {
  state?: unknown;
  /** What the tools did. */
  done: Done[];
  /** What the model heard. */
  told: string[];
}
