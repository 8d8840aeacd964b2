// Where the script of the verification thread is.

/** Beside this module, or in the folder that holds the scripts of all threads. */
export const findVerificationScript = (threadScripts: string | undefined): URL =>
  new URL('./verification-thread.mjs', threadScripts ?? import.meta.url);
