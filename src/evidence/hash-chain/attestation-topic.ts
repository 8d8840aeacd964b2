// The topic of the outbox for attestations that wait to be appended.
export const ATTESTATION_TOPIC = 'attestation';
