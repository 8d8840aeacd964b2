// What is done between two files of a worker, by those of the tests' own modules that the first has loaded.

/** Each is run before the next file. */
export const betweenFiles: (() => Promise<void>)[] = [];
