// Starts the SAML thread from its source; the build puts the compiled thread in this place.
import { register } from 'tsx/esm/api';

register();
await import('./saml-reader-thread.ts');
