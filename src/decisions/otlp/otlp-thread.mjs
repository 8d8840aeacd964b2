// Starts the thread of large exports from its source; the build puts the compiled thread in this place.
import { register } from 'tsx/esm/api';

register();
await import('./otlp-thread.ts');
