// Labelled dates of birth.
import { createLabelPattern } from './label.ts';
import { textFeatures } from '../inspect.ts';
import { createCandidates, type Rule } from '../rule.ts';

const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?';
const dates = [
  '\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}',
  '\\d{1,2}[-/.] ?\\d{1,2}[-/.] ?\\d{4}',
  '\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2}',
  `\\d{1,2}(?:st|nd|rd|th|\\.)?(?: of)?[ -]${month},?[ -]\\d{4}`,
  `${month} \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}`,
  '(?:19|20)\\d{6}',
];
const labelledDates = [
  createCandidates(createLabelPattern('dob', `(?:${dates.join('|')})(?!\\d)`)),
];

export const birthDateRule: Rule = {
  type: 'DATE_OF_BIRTH',
  needs: textFeatures.digits4,
  candidates: () => labelledDates,
};
