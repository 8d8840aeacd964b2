// What a provider has stated, as a trial shows it: all of it, cut to what a page can hold.
import { truncate } from '@assay/json';
import type { ExternalIdentity } from '../login/account-linking.service.ts';
import type { ReceivedPerson, ReceivedValue } from './trials.model.ts';

/** A verified statement of a provider about a person. */
export interface Statement {
  /** Claims or attributes by name. */
  values: Iterable<readonly [name: string, value: unknown]>;
  /** Reads the statement by the settings. @throws AppError when it names no usable person */
  toIdentity(): ExternalIdentity;
}

const MOST_NAMES = 100;
const MOST_VALUES = 200;
const MOST_CHARACTERS = 500;

const truncateText = (text: string): string => truncate(text, MOST_CHARACTERS);

function writeValue(value: unknown): string {
  return truncateText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

export function listReceived({ values }: Pick<Statement, 'values'>): ReceivedValue[] {
  return [...values].slice(0, MOST_NAMES).map(([name, value]) => ({
    name: truncateText(name),
    values: (Array.isArray(value) ? value : [value]).slice(0, MOST_VALUES).map(writeValue),
  }));
}

export function describePerson({ signOn, email, name, groups }: ExternalIdentity): ReceivedPerson {
  return {
    subject: truncateText(signOn.subject),
    subjectFormat: signOn.format === null ? null : truncateText(signOn.format),
    email: email === null ? null : truncateText(email),
    name: name === null ? null : truncateText(name),
    groups: groups && groups.slice(0, MOST_VALUES).map(truncateText),
  };
}
