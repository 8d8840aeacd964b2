// Sign-ins of devices that have no browser (RFC 8628). Both codes are stored as keyed digests only.
import {
  CREATED,
  defineCollection,
  definePart,
  type DocumentOf,
} from '../../../platform/mongo/collection.ts';

export const DEVICE_STATUSES = ['pending', 'approved', 'denied', 'used'] as const;

/** Expired ones are kept for an hour, so that they can be distinguished from unknown ones. */
const KEPT_SECONDS = 3600;

/** Who approved, and the session in which: the device's session begins where that one stands. */
const approval = definePart({
  userId: String,
  organizationId: String,
  jti: String,
  /** Milliseconds since the epoch. */
  sessionEnd: Number,
});

export const deviceLoginSchema = defineCollection(
  'device_logins',
  {
    deviceHash: { type: String, required: true, immutable: true },
    userHash: { type: String, required: true, immutable: true },
    /** As the client calls itself. */
    clientName: { type: String, required: true, immutable: true },
    ip: { type: String, required: true, immutable: true },
    userAgent: { type: String, default: null, immutable: true },
    status: { type: String, enum: DEVICE_STATUSES, default: 'pending' },
    approval: { type: approval, default: null },
    /** Seconds that the client must leave between two questions. */
    interval: { type: Number, required: true },
    polledAt: { type: Date, default: null },
    /** When its session was first given out, and last; absent: never. */
    firstTakenAt: Date,
    takenAt: Date,
    /** The session that was given out last. */
    issuedJti: String,
    expiresAt: { type: Date, required: true, immutable: true },
  },
  { timestamps: CREATED, ofNoTenant: true },
);
export interface DeviceLoginDocument extends DocumentOf<typeof deviceLoginSchema> {}
deviceLoginSchema.index({ deviceHash: 1 }, { name: 'device', unique: true });
deviceLoginSchema.index({ userHash: 1 }, { name: 'user-code', unique: true });
deviceLoginSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
