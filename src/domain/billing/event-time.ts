// When an event of the payment processor was signed: its own verifier accepts any time to come (document 3, section 6).

/** Of its signature, either way. */
export const EVENT_AGE_SECONDS = 300;

/** Whether the time in a `Stripe-Signature` header is within five minutes of now. The last `t` counts, as for the verifier. */
export function isTimely(header: string, now: Date): boolean {
  const text = /.*(?:^|,)t=([^,=]*)/s.exec(header)?.[1] ?? '';
  if (!/^\d{1,15}$/.test(text)) return false;
  return Math.abs(now.getTime() / 1000 - Number(text)) <= EVENT_AGE_SECONDS;
}
