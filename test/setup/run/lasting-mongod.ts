// Starts the one mongod whatever the first run of a process needs: later ones may need it.
export { startMongod as setup } from './mongod.ts';
