// Prints the path of the mongod that an instance would run, fetching it when this is the first time.
import { findOrFetchMongod } from './find-or-fetch.ts';

const { path } = await findOrFetchMongod((line) => console.error(line));
console.log(path);
