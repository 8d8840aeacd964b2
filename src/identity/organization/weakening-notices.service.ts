// Notifies managers of settings that weaken a control at once (decisions: switches that weaken).
import {
  type ControlSwitches,
  listSwitchedOff,
} from '../../domain/dual-control/weakened-switches.ts';

const BODY = 'It took effect at once. The audit log shows who changed it.';

/** The switches before and after a change. */
export interface SwitchChange {
  before: ControlSwitches;
  after: ControlSwitches;
}

/** Notifies owners and admins, in the request's transaction. */
export interface SecurityNotices {
  notifyManagers(
    organizationId: string,
    notice: { type: 'security'; title: string; body: string; link: string },
  ): Promise<void>;
}

export function createWeakeningNotices({ managerNotices }: { managerNotices: SecurityNotices }) {
  return {
    /** Writes one notice for each switch that was turned off, in the request's transaction. */
    async announce(
      organizationId: string,
      { before, after }: SwitchChange,
      link = '/settings/organization',
    ): Promise<void> {
      for (const title of listSwitchedOff(before, after))
        await managerNotices.notifyManagers(organizationId, {
          type: 'security',
          title,
          body: BODY,
          link,
        });
    },
  };
}
export type WeakeningNotices = ReturnType<typeof createWeakeningNotices>;
