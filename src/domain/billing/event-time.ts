// Checks the signing time of payment events; the processor's verifier accepts any future time (document 3, section 6).

/** The largest difference between the signature's time and now, in either direction. */
export const EVENT_AGE_SECONDS = 300;

/**
 * Whether the time in a `Stripe-Signature` header is within five minutes of now. The last `t` counts, as for the
 * verifier.
 */
export function isTimely(header: string, now: Date): boolean {
  const text = /.*(?:^|,)t=([^,=]*)/s.exec(header)?.[1] ?? '';
  if (!/^\d{1,15}$/.test(text)) return false;
  return Math.abs(now.getTime() / 1000 - Number(text)) <= EVENT_AGE_SECONDS;
}
