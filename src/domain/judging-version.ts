// The versions that judge a decision, as its entry names them: confidence, policy and pattern engine, scrubbing rules.
import { SCRUB_VERSION } from '@assay/scrub';
import { ENGINE_VERSION } from './confidence/score.ts';

/** Changes whenever any decision could get other facts, or any condition another result. */
const POLICY_ENGINE = 'policy-6';
/** The library and its version, whose Unicode tables are part of it. */
export const PATTERN_ENGINE = 're2js-2.10.0';

/** How the state of sessions follows from what was done; it ends the version, since no policy depends on it alone. */
const STATE_FOLD = 'state-1';

/** One word of at most 64 characters (docs/reference/formats.md). */
export const JUDGING_VERSION = [
  ENGINE_VERSION,
  POLICY_ENGINE,
  PATTERN_ENGINE,
  SCRUB_VERSION,
  STATE_FOLD,
].join('.');
