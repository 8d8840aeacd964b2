// Namespaces and identifiers of SAML 2.0, XML Signature and XML Encryption.

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
export const ENCRYPTION = 'http://www.w3.org/2001/04/xmlenc#';
export const ENCRYPTION_11 = 'http://www.w3.org/2009/xmlenc11#';

export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
export const HTTP_POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
export const HTTP_REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

const NAME_ID = 'urn:oasis:names:tc:SAML';
export const EMAIL_NAME = `${NAME_ID}:1.1:nameid-format:emailAddress`;
export const UNSPECIFIED_NAME = `${NAME_ID}:1.1:nameid-format:unspecified`;
export const PERSISTENT_NAME = `${NAME_ID}:2.0:nameid-format:persistent`;
export const TRANSIENT_NAME = `${NAME_ID}:2.0:nameid-format:transient`;
export const ENTITY_NAME = `${NAME_ID}:2.0:nameid-format:entity`;

export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const RSA_SHA512 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512';
export const RSA_PSS_SHA256 = 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1';
