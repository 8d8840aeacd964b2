// One page of a list, as a service is asked for it.

/** Rows to pass over, and rows to return at most. */
export interface Page {
  skip: number;
  limit: number;
}
