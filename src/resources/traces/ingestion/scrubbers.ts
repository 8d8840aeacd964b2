// One scrubber per set of options, shared by ingestion and reads (docs/scrubbing.md).
import { createScrubber, type Scrubber } from '../../../domain/scrub/scrubber.ts';

interface Options {
  /** The organisation's choice. */
  nationalIds: boolean;
  /** The additional pass: the agent's `piiMasking`. */
  extended: boolean;
}

export function createScrubbers() {
  const made = new Map<string, Scrubber>();

  function of(options: Options): Scrubber {
    const key = `${options.nationalIds}/${options.extended}`;
    let scrubber = made.get(key);
    if (!scrubber) made.set(key, (scrubber = createScrubber(options)));
    return scrubber;
  }

  function likeThatOf(rulesVersion: string, nationalIds: boolean): Scrubber {
    return of({ nationalIds, extended: rulesVersion.endsWith('extended-on') });
  }

  return {
    of,

    /** The rules in force, with the additional pass if a decision stored under `rulesVersion` had it. */
    likeThatOf,

    /** The scrubber to read a decision stored under `rulesVersion`; null if those are the rules in force. */
    forReading(rulesVersion: string, nationalIds: boolean): Scrubber | null {
      const inForce = likeThatOf(rulesVersion, nationalIds);
      return inForce.version === rulesVersion ? null : inForce;
    },
  };
}
export type Scrubbers = ReturnType<typeof createScrubbers>;
