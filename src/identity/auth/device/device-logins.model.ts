// Sign-ins of devices that have no browser (RFC 8628). Both codes are stored as keyed digests only.
import { Schema, type Types } from 'mongoose';

export const DEVICE_STATUSES = ['pending', 'approved', 'denied', 'used'] as const;

/** Who approved, and the session in which: the device's session begins where that one stands. */
export interface DeviceApproval {
  userId: string;
  organizationId: string;
  jti: string;
  /** Milliseconds since the epoch. */
  sessionEnd: number;
}

export interface DeviceLoginDocument {
  _id: Types.ObjectId;
  deviceHash: string;
  userHash: string;
  /** As the client calls itself. */
  clientName: string;
  ip: string;
  userAgent: string | null;
  status: (typeof DEVICE_STATUSES)[number];
  approval: DeviceApproval | null;
  /** Seconds that the client must leave between two questions. */
  interval: number;
  polledAt: Date | null;
  /** When its session was first given out, and last; absent: never. */
  firstTakenAt?: Date;
  takenAt?: Date;
  /** The session that was given out last. */
  issuedJti?: string;
  expiresAt: Date;
  createdAt: Date;
}

/** Expired ones are kept for an hour, so that they can be distinguished from unknown ones. */
const KEPT_SECONDS = 3600;

const approval = new Schema<DeviceApproval>(
  { userId: String, organizationId: String, jti: String, sessionEnd: Number },
  { _id: false },
);

export const deviceLoginSchema = new Schema<DeviceLoginDocument>(
  {
    deviceHash: { type: String, required: true, immutable: true },
    userHash: { type: String, required: true, immutable: true },
    clientName: { type: String, required: true, immutable: true },
    ip: { type: String, required: true, immutable: true },
    userAgent: { type: String, default: null, immutable: true },
    status: { type: String, enum: DEVICE_STATUSES, default: 'pending' },
    approval: { type: approval, default: null },
    interval: { type: Number, required: true },
    polledAt: { type: Date, default: null },
    firstTakenAt: Date,
    takenAt: Date,
    issuedJti: String,
    expiresAt: { type: Date, required: true, immutable: true },
  },
  {
    collection: 'device_logins',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
  },
);
deviceLoginSchema.index({ deviceHash: 1 }, { name: 'device', unique: true });
deviceLoginSchema.index({ userHash: 1 }, { name: 'user-code', unique: true });
deviceLoginSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
