// Trials of a sign-on: settings that are not saved, and what the provider sent. Both are kept for an hour.
import { Schema } from 'mongoose';
import type { Role } from '../../../domain/identity/roles.ts';
import {
  CREATED,
  defineCollection,
  type DocumentOf,
  typeAs,
} from '../../../platform/mongo/collection.ts';

/** A claim, or an attribute, as the provider sent it. */
export interface ReceivedValue {
  name: string;
  values: string[];
}

/** Who the provider says that a person is. */
export interface ReceivedPerson {
  subject: string;
  /** The claim, or the format of the name; null: not stated. */
  subjectFormat: string | null;
  email: string | null;
  name: string | null;
  /** Null: the provider does not list them in a known form. */
  groups: string[] | null;
}

/** How a sign-on with these settings would end. */
export interface TrialResult {
  received: ReceivedValue[];
  person: ReceivedPerson | null;
  /** How the member is found; null: the sign-on would be refused. */
  member: 'linked' | 'address' | 'new' | null;
  role: Role | null;
  /** The rule that gives the role; null: none. */
  rule: { pattern: string; group: string } | null;
  problems: { code: string; message: string }[];
}

const fixed = { required: true, immutable: true } as const;

export const trialSchema = defineCollection(
  'sign_on_trials',
  {
    userId: { type: Schema.Types.ObjectId, ...fixed },
    provider: { type: String, enum: ['oidc', 'saml'], ...fixed },
    /** As organisations keep theirs; null: the trial has ended. */
    settings: typeAs<object | null>({ type: Schema.Types.Mixed, default: null }),
    /** Null: the browser has not returned. */
    result: typeAs<TrialResult | null>({ type: Schema.Types.Mixed, default: null }),
    expiresAt: { type: Date, ...fixed },
  },
  { timestamps: CREATED, minimize: false },
);
export interface TrialDocument extends DocumentOf<typeof trialSchema> {}
trialSchema.index({ organizationId: 1, userId: 1 }, { name: 'user' });
trialSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
