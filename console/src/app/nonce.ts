// The nonce of this page's policy, by which the component library may add style sheets.
import { setNonce } from 'get-nonce';

export const nonce =
  document.querySelector<HTMLMetaElement>('meta[name="assay-nonce"]')?.content ?? '';

// The scroll lock of dialogs asks this package.
setNonce(nonce);
