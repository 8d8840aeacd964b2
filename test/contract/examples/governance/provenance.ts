// Signing keys and provenance.
import { everybody, refused, signedIn } from '../access.ts';
import { nothing, type ResourceExamples } from '../example.ts';

export const provenance: ResourceExamples = {
  access: {
    // Nobody here has a role in the installation.
    'GET /api/v1/c2pa-kms/status': refused(signedIn, 'FORBIDDEN'),
    'POST /api/v1/c2pa-kms/rotate': refused(signedIn, 'FORBIDDEN'),
    'GET /.well-known/jwks.json': everybody,
  },
  examples: {
    'GET /api/v1/c2pa-kms/status': nothing,
    'POST /api/v1/c2pa-kms/rotate': nothing,
    'GET /.well-known/jwks.json': nothing,
  },
};
