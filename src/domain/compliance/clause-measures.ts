// Which clause is shown by which measures: a table of what the service itself can tell; all other clauses are for people.
import type { Framework } from './frameworks.ts';
import type { Measure } from './measures.ts';

type Table = Readonly<Record<string, readonly Measure[]>>;

const TABLES: Readonly<Record<Framework, Table>> = {
  'iso-42001': {
    '4.3': ['agents'],
    '5.2': ['policies'],
    '5.3': ['roles'],
    '6.3': ['changes'],
    '8.1': ['policies', 'oversight', 'queue'],
    '8.3': ['policies', 'alerts'],
    '8.4': ['assessments'],
    '9': ['monitoring', 'log', 'audit'],
    '10.2': ['incidents'],
  },
  'eu-ai-act': {
    'Art.6': ['agents'],
    'Art.9': ['policies', 'alerts'],
    'Art.10': ['erasure'],
    'Art.12': ['log', 'audit'],
    'Art.14': ['oversight', 'queue', 'stop'],
    'Art.15': ['access', 'witness'],
    'Art.17': ['roles', 'changes'],
    'Art.19': ['log', 'witness'],
    'Art.26': ['oversight', 'monitoring', 'log'],
    'Art.27': ['assessments'],
    'Art.72': ['monitoring', 'alerts'],
    'Art.73': ['incidents'],
  },
  'nist-rmf': {
    'GOVERN-1': ['policies', 'changes', 'agents'],
    'GOVERN-2': ['roles', 'access'],
    'MAP-5': ['assessments'],
    'MEASURE-1': ['monitoring'],
    'MEASURE-2': ['log', 'witness', 'erasure'],
    'MEASURE-3': ['monitoring', 'alerts'],
    'MANAGE-1': ['oversight', 'queue'],
    'MANAGE-2': ['policies', 'stop'],
    'MANAGE-4': ['incidents', 'audit'],
  },
};

/** The measures of a clause; none: people alone can say. */
export const listMeasures = (framework: Framework, clauseId: string): readonly Measure[] =>
  TABLES[framework][clauseId] ?? [];
