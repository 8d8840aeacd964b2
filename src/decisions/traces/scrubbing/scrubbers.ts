// One scrubber per set of options, shared by ingestion and reads (docs/reference/scrubbing.md).
import { createScrubber, type Scrubber } from '@assay/scrub';

interface Options {
  /** The organisation's choice. */
  nationalIds: boolean;
  /** The additional pass: the agent's `piiMasking`. */
  extended: boolean;
}

export function createScrubbers() {
  const scrubbers = new Map<string, Scrubber>();

  function getScrubber(options: Options): Scrubber {
    const key = `${options.nationalIds}/${options.extended}`;
    let scrubber = scrubbers.get(key);
    if (!scrubber) scrubbers.set(key, (scrubber = createScrubber(options)));
    return scrubber;
  }

  function getMatchingScrubber(rulesVersion: string, nationalIds: boolean): Scrubber {
    return getScrubber({ nationalIds, extended: rulesVersion.endsWith('extended-on') });
  }

  return {
    getScrubber,

    /** The rules in force, with the additional pass if a decision stored under `rulesVersion` had it. */
    getMatchingScrubber,

    /** The scrubber to read a decision stored under `rulesVersion`; null if those are the rules in force. */
    getReadScrubber(rulesVersion: string, nationalIds: boolean): Scrubber | null {
      const inForce = getMatchingScrubber(rulesVersion, nationalIds);
      return inForce.version === rulesVersion ? null : inForce;
    },
  };
}
export type Scrubbers = ReturnType<typeof createScrubbers>;
