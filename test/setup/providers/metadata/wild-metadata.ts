// Metadata in the shape of well-known identity providers, with what each of them adds to the ordinary.
import { FIRST_CERTIFICATE, SECOND_CERTIFICATE } from '../certificates.ts';
import { ISSUING_CERTIFICATE, LEAF_CERTIFICATE, ROOT_CERTIFICATE } from './certificate-chain.ts';

/** What an organisation's settings need of a document. */
export interface WildMetadata {
  xml: string;
  entityId: string;
  ssoUrl: string;
  sloUrl: string | null;
  /** PEM. */
  certificates: readonly string[];
}

const stripPem = (pem: string): string => pem.replace(/-----[^-]+-----|\s/g, '');
const stripLabels = (pem: string): string => pem.replace(/-----[^-]+-----/g, '');
const BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:';
const NAMES = 'urn:oasis:names:tc:SAML:2.0:nameid-format:';
const SAML2 = 'urn:oasis:names:tc:SAML:2.0:protocol';
const MD = 'xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"';
const DS = 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"';

const entra: WildMetadata = {
  entityId: 'https://sts.example.net/11111111-2222-3333-4444-555555555555/',
  ssoUrl: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/saml2',
  sloUrl: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/saml2',
  certificates: [FIRST_CERTIFICATE, SECOND_CERTIFICATE],
  xml: `\ufeff<?xml version="1.0" encoding="utf-8"?><EntityDescriptor ID="_5c1f4f0e-6a7e-4f43-9b86-3d1a1f6b8b1e" entityID="https://sts.example.net/11111111-2222-3333-4444-555555555555/" xmlns="urn:oasis:names:tc:SAML:2.0:metadata"><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo><CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#" /><SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256" /><Reference URI="#_5c1f4f0e-6a7e-4f43-9b86-3d1a1f6b8b1e"><Transforms><Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature" /><Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#" /></Transforms><DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256" /><DigestValue>AAAA</DigestValue></Reference></SignedInfo><SignatureValue>AAAA</SignatureValue><KeyInfo><X509Data><X509Certificate>${stripPem(ROOT_CERTIFICATE)}</X509Certificate></X509Data></KeyInfo></Signature><RoleDescriptor xsi:type="fed:SecurityTokenServiceType" protocolSupportEnumeration="http://docs.example.org/wsfed/federation/200706" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.example.org/wsfed/federation/200706"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${stripPem(ROOT_CERTIFICATE)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><fed:ClaimTypesOffered><auth:ClaimType Uri="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name" xmlns:auth="http://docs.example.org/wsfed/authorization/200706"><auth:DisplayName>Name</auth:DisplayName><auth:Description>The mutable display name of the user.</auth:Description></auth:ClaimType></fed:ClaimTypesOffered></RoleDescriptor><IDPSSODescriptor protocolSupportEnumeration="${SAML2}"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${stripPem(FIRST_CERTIFICATE)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${stripPem(SECOND_CERTIFICATE)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleLogoutService Binding="${BINDING}HTTP-Redirect" Location="https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/saml2" /><SingleSignOnService Binding="${BINDING}HTTP-Redirect" Location="https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/saml2" /><SingleSignOnService Binding="${BINDING}HTTP-POST" Location="https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/saml2" /></IDPSSODescriptor></EntityDescriptor>`,
};

const okta: WildMetadata = {
  entityId: 'http://www.okta.example.com/exk1a2b3c4d5',
  ssoUrl: 'https://assay.okta.example.com/app/example_assay_1/exk1a2b3c4d5/sso/saml',
  sloUrl: null,
  certificates: [FIRST_CERTIFICATE],
  xml: `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor entityID="http://www.okta.example.com/exk1a2b3c4d5" ${MD}><md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${SAML2}"><md:KeyDescriptor use="signing"><ds:KeyInfo ${DS}><ds:X509Data><ds:X509Certificate>${stripLabels(FIRST_CERTIFICATE)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat><md:SingleSignOnService Binding="${BINDING}HTTP-POST" Location="https://assay.okta.example.com/app/example_assay_1/exk1a2b3c4d5/sso/saml"/><md:SingleSignOnService Binding="${BINDING}HTTP-Redirect" Location="https://assay.okta.example.com/app/example_assay_1/exk1a2b3c4d5/sso/saml"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
};

const google: WildMetadata = {
  entityId: 'https://accounts.google.com/o/saml2?idpid=C01abcdef',
  ssoUrl: 'https://accounts.google.com/o/saml2/idp?idpid=C01abcdef',
  sloUrl: null,
  certificates: [FIRST_CERTIFICATE],
  xml: `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<md:EntityDescriptor ${MD} entityID="https://accounts.google.com/o/saml2?idpid=C01abcdef" validUntil="2099-11-08T13:37:22.000Z">
  <md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${SAML2}">
    <md:KeyDescriptor use="signing">
      <ds:KeyInfo ${DS}>
        <ds:X509Data>
          <ds:X509Certificate>${stripLabels(FIRST_CERTIFICATE)}</ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>
    <md:SingleSignOnService Binding="${BINDING}HTTP-Redirect" Location="https://accounts.google.com/o/saml2/idp?idpid=C01abcdef"/>
    <md:SingleSignOnService Binding="${BINDING}HTTP-POST" Location="https://accounts.google.com/o/saml2/idp?idpid=C01abcdef"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`,
};

const adfs: WildMetadata = {
  entityId: 'http://adfs.example.com/adfs/services/trust',
  ssoUrl: 'https://adfs.example.com/adfs/ls/',
  sloUrl: 'https://adfs.example.com/adfs/ls/',
  certificates: [FIRST_CERTIFICATE],
  xml: `<EntityDescriptor ID="_8c5b7d6a-0000-4000-8000-000000000000" entityID="http://adfs.example.com/adfs/services/trust" xmlns="urn:oasis:names:tc:SAML:2.0:metadata"><RoleDescriptor xsi:type="fed:ApplicationServiceType" protocolSupportEnumeration="http://docs.example.org/ws-sx/ws-trust/200512 http://schemas.xmlsoap.org/ws/2005/02/trust http://docs.example.org/wsfed/federation/200706" ServiceDisplayName="Example" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.example.org/wsfed/federation/200706"><KeyDescriptor use="encryption"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${stripPem(SECOND_CERTIFICATE)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor></RoleDescriptor><SPSSODescriptor WantAssertionsSigned="true" protocolSupportEnumeration="${SAML2}"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${stripPem(SECOND_CERTIFICATE)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><AssertionConsumerService Binding="${BINDING}HTTP-POST" Location="https://adfs.example.com/adfs/ls/" index="0" isDefault="true"/></SPSSODescriptor><IDPSSODescriptor protocolSupportEnumeration="${SAML2}"><KeyDescriptor use="encryption"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${stripPem(SECOND_CERTIFICATE)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${stripPem(FIRST_CERTIFICATE)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleLogoutService Binding="${BINDING}HTTP-Redirect" Location="https://adfs.example.com/adfs/ls/"/><SingleLogoutService Binding="${BINDING}HTTP-POST" Location="https://adfs.example.com/adfs/ls/"/><NameIDFormat>${NAMES}persistent</NameIDFormat><SingleSignOnService Binding="${BINDING}HTTP-Redirect" Location="https://adfs.example.com/adfs/ls/"/><SingleSignOnService Binding="${BINDING}HTTP-POST" Location="https://adfs.example.com/adfs/ls/"/><Attribute Name="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri" FriendlyName="E-Mail Address" xmlns="urn:oasis:names:tc:SAML:2.0:assertion"/></IDPSSODescriptor><ContactPerson contactType="support"/></EntityDescriptor>`,
};

/** As a federation publishes one member of it: comments, a style sheet, extensions, a chain, and the member's service provider. */
const shibboleth: WildMetadata = {
  entityId: 'https://idp.example.org/idp/shibboleth',
  ssoUrl: 'https://idp.example.org/idp/profile/SAML2/Redirect/SSO',
  sloUrl: 'https://idp.example.org/idp/profile/SAML2/Redirect/SLO',
  certificates: [LEAF_CERTIFICATE, FIRST_CERTIFICATE],
  xml: `<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="federation.xsl"?>
<!--
  Metadata of the Example Federation; do not edit. <md:EntityDescriptor entityID="https://comment.example.com"/>
-->
<md:EntitiesDescriptor ${MD} ${DS} xmlns:mdui="urn:oasis:names:tc:SAML:metadata:ui" xmlns:shibmd="urn:mace:shibboleth:metadata:1.0" xmlns:mdrpi="urn:oasis:names:tc:SAML:metadata:rpi" xmlns:mdattr="urn:oasis:names:tc:SAML:metadata:attribute" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="fed-20261125" Name="urn:mace:example.org" validUntil="2099-01-01T00:00:00Z" cacheDuration="PT6H">
  <md:Extensions><mdrpi:PublicationInfo creationInstant="2026-11-25T00:00:00Z" publisher="https://fed.example.org"/></md:Extensions>
  <!-- a service provider -->
  <md:EntityDescriptor entityID="https://sp.example.org/shibboleth">
    <md:SPSSODescriptor protocolSupportEnumeration="${SAML2}"><md:AssertionConsumerService Binding="${BINDING}HTTP-POST" Location="https://sp.example.org/acs" index="1"/></md:SPSSODescriptor>
  </md:EntityDescriptor>
  <md:EntitiesDescriptor Name="urn:mace:example.org:idps">
  <md:EntityDescriptor entityID="https://idp.example.org/idp/shibboleth">
    <md:Extensions>
      <mdrpi:RegistrationInfo registrationAuthority="https://fed.example.org"/>
      <mdattr:EntityAttributes><saml:Attribute Name="http://macedir.example.org/entity-category-support"><saml:AttributeValue>http://refeds.example.org/category/research-and-scholarship</saml:AttributeValue></saml:Attribute></mdattr:EntityAttributes>
    </md:Extensions>
    <md:IDPSSODescriptor errorURL="https://idp.example.org/error" protocolSupportEnumeration="
        urn:mace:shibboleth:1.0
        ${SAML2}">
      <md:Extensions>
        <shibmd:Scope regexp="false">example.org</shibmd:Scope>
        <mdui:UIInfo><mdui:DisplayName xml:lang="de">Universität <![CDATA[Beispiel & Söhne]]></mdui:DisplayName><mdui:Logo height="16" width="16">https://idp.example.org/logo.png</mdui:Logo></mdui:UIInfo>
      </md:Extensions>
      <!-- The front channel: a leaf with those above it -->
      <md:KeyDescriptor use="signing"><ds:KeyInfo><ds:KeyName>idp.example.org</ds:KeyName><ds:X509Data><ds:X509SubjectName>CN=idp signing,O=Example</ds:X509SubjectName>
        <ds:X509Certificate>${stripLabels(ROOT_CERTIFICATE)}</ds:X509Certificate>
        <ds:X509Certificate>${stripLabels(LEAF_CERTIFICATE)}</ds:X509Certificate>
        <ds:X509Certificate>${stripLabels(ISSUING_CERTIFICATE)}</ds:X509Certificate>
      </ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
      <md:KeyDescriptor><ds:KeyInfo><ds:X509Data><ds:X509Certificate>
${FIRST_CERTIFICATE}
      </ds:X509Certificate></ds:X509Data></ds:KeyInfo><md:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes128-gcm"/></md:KeyDescriptor>
      <md:KeyDescriptor use="encryption"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${stripLabels(SECOND_CERTIFICATE)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
      <md:ArtifactResolutionService Binding="${BINDING}SOAP" Location="https://idp.example.org:8443/ars" index="1"/>
      <md:SingleLogoutService Binding="${BINDING}SOAP" Location="https://idp.example.org:8443/slo"/>
      <md:SingleLogoutService Binding="
        ${BINDING}HTTP-Redirect
      " Location="
        https://idp.example.org/idp/profile/SAML2/Redirect/SLO
      "/>
      <md:NameIDFormat>urn:mace:shibboleth:1.0:nameIdentifier</md:NameIDFormat>
      <md:SingleSignOnService Binding="urn:mace:shibboleth:1.0:profiles:AuthnRequest" Location="https://idp.example.org/idp/profile/Shibboleth/SSO"/>
      <md:SingleSignOnService Binding="${BINDING}HTTP-POST" Location="https://idp.example.org/idp/profile/SAML2/POST/SSO"/>
      <md:SingleSignOnService Binding="${BINDING}HTTP-Redirect" Location="https://idp.example.org/idp/profile/SAML2/Redirect/SSO"/>
    </md:IDPSSODescriptor>
    <md:AttributeAuthorityDescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol"><md:KeyDescriptor><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${stripLabels(SECOND_CERTIFICATE)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor></md:AttributeAuthorityDescriptor>
    <md:Organization><md:OrganizationName xml:lang="en">Example University</md:OrganizationName></md:Organization>
  </md:EntityDescriptor>
  </md:EntitiesDescriptor>
</md:EntitiesDescriptor>
<!-- end -->`,
};

const pingFederate: WildMetadata = {
  entityId: 'pingfederate.example.com',
  ssoUrl: 'https://pingfederate.example.com:9031/idp/SSO.saml2',
  sloUrl: 'https://pingfederate.example.com:9031/idp/SLO.saml2',
  certificates: [LEAF_CERTIFICATE],
  xml: `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor ID="AbCdEf.0123" cacheDuration="PT1440M" entityID="pingfederate.example.com" ${MD}><md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="${SAML2}"><md:KeyDescriptor use="signing"><ds:KeyInfo ${DS}><ds:X509Data><ds:X509Certificate>${stripPem(LEAF_CERTIFICATE)}</ds:X509Certificate></ds:X509Data><ds:X509Data><ds:X509Certificate>${stripPem(ISSUING_CERTIFICATE)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleLogoutService Location="https://pingfederate.example.com:9031/idp/SLO.saml2" Binding="${BINDING}HTTP-Redirect"/><md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified</md:NameIDFormat><md:SingleSignOnService Location="https://pingfederate.example.com:9031/idp/SSO.saml2" Binding="${BINDING}HTTP-Redirect"/><saml:Attribute NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic" Name="email" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/></md:IDPSSODescriptor><md:ContactPerson contactType="administrative"><md:Company>Example</md:Company></md:ContactPerson></md:EntityDescriptor>`,
};

const keycloak: WildMetadata = {
  entityId: 'https://keycloak.example.com/realms/example',
  ssoUrl: 'https://keycloak.example.com/realms/example/protocol/saml',
  sloUrl: 'https://keycloak.example.com/realms/example/protocol/saml',
  certificates: [FIRST_CERTIFICATE],
  xml: `<md:EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" ${MD} xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ${DS} entityID="https://keycloak.example.com/realms/example"><md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="${SAML2}"><md:KeyDescriptor use="signing"><ds:KeyInfo><ds:KeyName>k3y</ds:KeyName><ds:X509Data><ds:X509Certificate>${stripPem(FIRST_CERTIFICATE)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:ArtifactResolutionService Binding="${BINDING}SOAP" Location="https://keycloak.example.com/realms/example/protocol/saml/resolve" index="0"></md:ArtifactResolutionService><md:SingleLogoutService Binding="${BINDING}HTTP-POST" Location="https://keycloak.example.com/realms/example/protocol/saml"></md:SingleLogoutService><md:SingleLogoutService Binding="${BINDING}HTTP-Redirect" Location="https://keycloak.example.com/realms/example/protocol/saml"></md:SingleLogoutService><md:NameIDFormat>${NAMES}persistent</md:NameIDFormat><md:SingleSignOnService Binding="${BINDING}HTTP-POST" Location="https://keycloak.example.com/realms/example/protocol/saml"></md:SingleSignOnService><md:SingleSignOnService Binding="${BINDING}HTTP-Redirect" Location="https://keycloak.example.com/realms/example/protocol/saml"></md:SingleSignOnService></md:IDPSSODescriptor></md:EntityDescriptor>`,
};

/** Copied out of a Windows console, so labelled as what it was there. */
const simpleSamlPhp: WildMetadata = {
  entityId: 'https://ssp.example.org/simplesaml/saml2/idp/metadata.php',
  ssoUrl: 'https://ssp.example.org/simplesaml/saml2/idp/SSOService.php',
  sloUrl: 'https://ssp.example.org/simplesaml/saml2/idp/SingleLogoutService.php',
  certificates: [FIRST_CERTIFICATE],
  xml: `<?xml version="1.0" encoding="utf-16"?>\r
<md:EntityDescriptor ${MD} ${DS} entityID="https://ssp.example.org/simplesaml/saml2/idp/metadata.php">\r
  <md:IDPSSODescriptor protocolSupportEnumeration="${SAML2}">\r
    <md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${stripPem(FIRST_CERTIFICATE)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>\r
    <md:KeyDescriptor use="encryption"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${stripPem(FIRST_CERTIFICATE)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>\r
    <md:SingleLogoutService Binding="${BINDING}HTTP-Redirect" Location="https://ssp.example.org/simplesaml/saml2/idp/SingleLogoutService.php"/>\r
    <md:NameIDFormat>${NAMES}transient</md:NameIDFormat>\r
    <md:SingleSignOnService Binding="${BINDING}HTTP-Redirect" Location="https://ssp.example.org/simplesaml/saml2/idp/SSOService.php"/>\r
  </md:IDPSSODescriptor>\r
  <md:ContactPerson contactType="technical"><md:GivenName>Administrator</md:GivenName><md:EmailAddress>mailto:na@example.org</md:EmailAddress></md:ContactPerson>\r
</md:EntityDescriptor>\r
`,
};

export const WILD_METADATA: Readonly<Record<string, WildMetadata>> = {
  'Entra ID': entra,
  Okta: okta,
  'Google Workspace': google,
  ADFS: adfs,
  'a federation of Shibboleth': shibboleth,
  PingFederate: pingFederate,
  Keycloak: keycloak,
  SimpleSAMLphp: simpleSamlPhp,
};
