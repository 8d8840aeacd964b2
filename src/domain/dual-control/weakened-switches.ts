// Switches of an organisation that weaken a control when they are turned off (decisions: switches that weaken).

/** Texts for managers about a switch that is off. */
const SWITCHED_OFF = {
  scrubNationalIds: 'National id numbers in decisions are no longer scrubbed',
  endSessionsOnScimDeactivate: 'A deactivation by the directory no longer ends sessions',
  requireMfaEvenWithSso: 'A single sign-on no longer needs a second factor',
  requireSso: 'Members may sign in without the identity provider',
  signInForLinks: 'Links in mails decide held decisions without a sign-in',
  personsDecide: 'The service may approve held decisions by itself',
  reviewsObserved: 'Decisions after the fact are no longer held for a review',
  actorsExcluded: 'People may decide what was proposed on their own behalf',
  keyMakersExcluded: 'Makers of keys may decide what was posted with their keys',
  agentOwnersExcluded: 'People may decide what agents proposed that they registered',
  sessionsByAgent: 'Agents may begin a new session, and leave what they have seen behind',
  keylessAgents: 'Agents may act by keys again, which do not expire',
  managerSecondFactor: 'An owner or admin signs in without a second factor from now on',
} as const;

export type ControlSwitches = Readonly<Partial<Record<keyof typeof SWITCHED_OFF, boolean>>>;

/** Lists what a change of settings has switched off, and the page of the switch. Absent members of `after` are off. */
export function listSwitchedOff(
  { before, after }: { before: ControlSwitches; after: ControlSwitches },
  link: string,
): { title: string; link: string }[] {
  return Object.entries(SWITCHED_OFF).flatMap(([name, title]) => {
    const one = name as keyof ControlSwitches;
    return before[one] === true && after[one] !== true ? [{ title, link }] : [];
  });
}
