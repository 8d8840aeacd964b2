// Starts the thread of time stamps from its source; the build puts the compiled thread in this place.
import { register } from 'tsx/esm/api';

register();
await import('./stamp-thread.ts');
