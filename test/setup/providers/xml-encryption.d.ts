// Types of the parts of a package without types that tests use.
declare module 'xml-encryption' {
  export function encrypt(
    content: string,
    options: {
      rsa_pub: string | Buffer;
      pem: string;
      encryptionAlgorithm: string;
      keyEncryptionAlgorithm: string;
      warnInsecureAlgorithm: boolean;
    },
    callback: (error: Error | null, result: string) => void,
  ): void;
}
