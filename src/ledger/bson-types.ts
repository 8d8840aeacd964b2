// The BSON types of entries, for the reader and the writer of their bytes.

export const DOUBLE = 0x01;
export const STRING = 0x02;
export const OBJECT = 0x03;
export const ARRAY = 0x04;
export const BINARY = 0x05;
export const OBJECT_ID = 0x07;
export const BOOLEAN = 0x08;
export const DATE = 0x09;
export const NULL = 0x0a;
export const INT32 = 0x10;
export const INT64 = 0x12;

/** The factor between the two halves of a 64-bit integer. */
export const TWO_POW_32 = 2 ** 32;

/** Thrown for documents that are left to the driver. */
export const UNSUPPORTED = new Error('left to the driver');
