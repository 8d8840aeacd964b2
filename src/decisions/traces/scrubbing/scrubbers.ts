// One scrubber per set of options, shared by ingestion and reads (docs/reference/scrubbing.md).
import { createScrubber, type Scrubber } from '@assay/scrub';

interface Options {
  /** The organisation's choice. */
  nationalIds: boolean;
  /** The additional pass: the agent's `piiMasking`. */
  extended: boolean;
}

/** All instances of a process share them: what a scrubber caches follows from its key alone. */
const scrubbers = new Map<string, Scrubber>();

export function getScrubber(options: Options): Scrubber {
  const key = `${options.nationalIds}/${options.extended}`;
  let scrubber = scrubbers.get(key);
  if (!scrubber) scrubbers.set(key, (scrubber = createScrubber(options)));
  return scrubber;
}

/** The rules in force, with the additional pass if a decision stored under `rulesVersion` had it. */
export function getMatchingScrubber(rulesVersion: string, nationalIds: boolean): Scrubber {
  return getScrubber({ nationalIds, extended: rulesVersion.endsWith('extended-on') });
}

/** The scrubber to read a decision stored under `rulesVersion`; null if those are the rules in force. */
export function getReadScrubber(rulesVersion: string, nationalIds: boolean): Scrubber | null {
  const inForce = getMatchingScrubber(rulesVersion, nationalIds);
  return inForce.version === rulesVersion ? null : inForce;
}
