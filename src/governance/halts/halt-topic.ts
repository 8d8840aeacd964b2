// The topic of the outbox for halts that the service makes by itself.
export const HALT_TOPIC = 'halt';
