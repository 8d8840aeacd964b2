// Writes the names of certificates as people know them.
import type { RelativeDistinguishedNames } from 'pkijs';

const NAMES: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.97': 'organizationIdentifier',
};

const PARTS_MAX = 20;
const SHOWN = 200;

/** Returns such as `C=DE, O=Authority, CN=Stamps`; a part without a known name has its number. */
export const describeName = ({ typesAndValues }: RelativeDistinguishedNames): string =>
  typesAndValues
    .slice(0, PARTS_MAX)
    .map(({ type, value }) => `${NAMES[type] ?? type}=${String(value.valueBlock.value)}`)
    .join(', ')
    .slice(0, SHOWN);
