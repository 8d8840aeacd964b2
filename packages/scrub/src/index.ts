// Scrubbing of personal data and secrets: what the package offers.
export { hasMarker } from './markers.ts';
export { type DetectionType, toDetectionTag } from './rule.ts';
export {
  createScrubber,
  type ScrubOptions,
  SCRUB_VERSION,
  type Scrubbed,
  type Scrubber,
} from './scrubber.ts';
export { scrubStrictly } from './strict-scrub.ts';
export { Work, workLimits } from '@assay/patterns';
